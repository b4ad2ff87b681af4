"""``OnnxAgent``: a trained network, run by onnxruntime alone."""

import functools
import threading
from typing import Any

import numpy as np

from whot_agents.base import Array
from whot_agents.bundle import BundleError
from whot_agents.onnx_check import check_onnx
from whot_env.actions import NUM_ACTIONS
from whot_env.errors import WhotError
from whot_env.observation import LAYOUT

MAX_MEMORY = 2**29
"""Bytes that all networks of a process may use while they run, beside their weights."""

MAX_SECONDS = 5.0
"""A new network must have evaluated four observations by then; it is stopped between two of its operators."""

_INPUT_TYPES = {"tensor(int8)": np.int8, "tensor(float)": np.float32}


class OnnxAgent:
    """Plays by the policy of an ONNX model.

    Args:
        model: the ONNX file's bytes. Input ``observation`` [N, LAYOUT.size], int8 or float32; outputs ``logits``
            float32[N, 76], before masking, and ``value`` float32[N] or [N, 1].
        name: what tables call the agent.
        temperature: 0 plays the action with the largest logit; above 0 samples from softmax(logits / temperature).
        threads: threads of onnxruntime for one call; 1 is fastest for a single game.

    Raises:
        BundleError: the model cannot be loaded, has other inputs or outputs, or gives numbers that are not finite.
        WhotError: ``temperature`` is negative or not finite.
    """

    def __init__(self, model: bytes, name: str = "network", temperature: float = 0.0, threads: int = 1) -> None:
        if not (np.isfinite(temperature) and temperature >= 0):
            raise WhotError("temperature", f"temperature is {temperature}; allowed: 0 (the best action) or above")
        self.name = name
        self.temperature = temperature
        self._session = _open(model, threads)
        self._dtype = self._check_signature()
        self._try_out()

    def evaluate(self, observation: Array) -> tuple[Array, Array]:
        """Logits float32[N, 76] (unmasked) and values float32[N] of int8[N, LAYOUT.size] observations."""
        return self._evaluate(observation, None)

    def _try_out(self) -> None:
        """Two sizes, since a model may be made for one number of observations only; one that takes long is stopped."""
        import onnxruntime

        options = onnxruntime.RunOptions()
        timer = threading.Timer(MAX_SECONDS, setattr, (options, "terminate", True))
        timer.daemon = True
        timer.start()
        try:
            for n in (1, 3):
                self._evaluate(np.zeros((n, LAYOUT.size), np.int8), options)
        finally:
            timer.cancel()

    def _evaluate(self, observation: Array, options: Any) -> tuple[Array, Array]:
        inputs = {"observation": np.ascontiguousarray(observation, self._dtype)}
        try:
            outputs = self._session.run(["logits", "value"], inputs, options)
        except Exception as error:  # onnxruntime raises classes that it does not export
            raise BundleError("model", f"the model cannot be run: {str(error).splitlines()[0]}") from error
        logits, value = (np.asarray(out, np.float32) for out in outputs)
        n = len(observation)
        if logits.shape != (n, NUM_ACTIONS) or value.size != n:
            raise BundleError(
                "model",
                f"the model's outputs have shapes {logits.shape} and {value.shape} for {n} observations; "
                f"allowed: ({n}, {NUM_ACTIONS}) and ({n},)",
            )
        if not (np.isfinite(logits).all() and np.isfinite(value).all()):
            raise BundleError("model", "the model gives numbers that are not finite; allowed: finite logits and values")
        return logits, value.reshape(n)

    def act(self, observation: Array, action_mask: Array, rng: np.random.Generator) -> Array:
        """int64[N] legal actions; see ``BatchAgent.act``. Chance is used only when the temperature is above 0."""
        logits, _ = self.evaluate(observation)
        if self.temperature > 0:
            # Adding Gumbel noise and taking the largest samples from the softmax without summing it.
            uniform = rng.random(size=logits.shape)
            logits = logits / self.temperature - np.log(-np.log(np.clip(uniform, 1e-300, 1 - 1e-16)))
        return np.where(action_mask > 0, logits, -np.inf).argmax(axis=1)

    def _check_signature(self) -> Any:
        inputs = {i.name: i.type for i in self._session.get_inputs()}
        outputs = {o.name for o in self._session.get_outputs()}
        if list(inputs) != ["observation"] or inputs["observation"] not in _INPUT_TYPES:
            raise BundleError("model", f"the model's inputs are {inputs}; allowed: observation, int8 or float32")
        if not {"logits", "value"} <= outputs:
            raise BundleError("model", f"the model's outputs are {sorted(outputs)}; allowed: logits and value")
        return _INPUT_TYPES[inputs["observation"]]


def _open(model: bytes, threads: int) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise WhotError(
            "onnxruntime", "a Coach needs onnxruntime; install it with: pip install whot-env[coach]"
        ) from error
    check_onnx(model)
    _limit_memory()
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.use_env_allocators", "1")
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what is wrong is said by the exception
    try:
        # Folding constants would run operators while the model is loaded, outside the memory's limit.
        return onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"], disabled_optimizers=["ConstantFolding"]
        )
    except Exception as error:  # onnxruntime raises classes that it does not export
        raise BundleError("model", f"the model cannot be loaded: {str(error).splitlines()[0]}") from error


@functools.cache  # once a process: the allocator is onnxruntime's own, shared by all sessions that ask for it
def _limit_memory() -> None:
    """A model of a few bytes can ask for any amount of memory; beyond the limit its call fails."""
    import onnxruntime

    memory = onnxruntime.OrtMemoryInfo(
        "Cpu", onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT
    )
    by_request = 1  # grow by what is asked for, not by doubling
    onnxruntime.create_and_register_allocator(memory, onnxruntime.OrtArenaCfg(MAX_MEMORY, by_request, -1, -1))
