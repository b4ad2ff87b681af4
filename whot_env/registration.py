"""Names under which Gymnasium and PettingZoo find the environments. Nothing heavy is loaded until one is made."""

# pyright: basic
# (the registries of Gymnasium and PettingZoo are only partly typed)
from whot_env.rules import PRESETS

PETTINGZOO_ID = "whot_v0"
"""Id in PettingZoo's registry, which writes it ``whot-v0`` too."""


def gymnasium_id(preset: str) -> str:
    """``naija_whot`` -> ``whot/NaijaWhot-v0``."""
    return f"whot/{''.join(part.capitalize() for part in preset.split('_'))}-v0"


def register_gymnasium() -> None:
    """Register ``Whot-v0`` and ``whot/<Preset>-v0`` for each preset, once; ids that exist are left alone."""
    import gymnasium

    ids = {"Whot-v0": {}, **{gymnasium_id(preset): {"rules": preset} for preset in PRESETS}}
    for name, kwargs in ids.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                id=name,
                entry_point="whot_env.envs.single:WhotEnv",
                vector_entry_point="whot_env.envs.vector:WhotVectorEnv",
                kwargs=kwargs,
            )


def register_pettingzoo() -> None:
    """Register ``whot_v0`` as an AEC and as a parallel environment, once; PettingZoo before 1.27 has no registry."""
    import pettingzoo

    if not hasattr(pettingzoo, "register"):
        return
    from pettingzoo.env_registry.registration import aec_registry, parallel_registry

    known = PETTINGZOO_ID.replace("_v", "-v")
    if known not in aec_registry:
        pettingzoo.register("aec", PETTINGZOO_ID, entry_point="whot_env.whot_v0:env")
    if known not in parallel_registry:
        pettingzoo.register("parallel", PETTINGZOO_ID, entry_point="whot_env.whot_v0:parallel_env")
