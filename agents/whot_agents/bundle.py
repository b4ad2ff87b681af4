"""``.whotcoach``: a Coach as one file, a zip of ``model.onnx`` and ``manifest.json``; data only, never code.

A bundle comes from anywhere, so reading checks everything before the model is used: members, sizes, checksum, and that
observations and actions mean what they meant in training.
"""

import hashlib
import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

import whot_env
from whot_agents.files import write_atomically
from whot_env.actions import ACTION_NAMES
from whot_env.errors import WhotError, shown
from whot_env.observation import LAYOUT
from whot_env.rules import Rules, as_rules

FORMAT = "whotcoach"
FORMAT_VERSION = 1
SUFFIX = ".whotcoach"

MODEL = "model.onnx"
MANIFEST = "manifest.json"
MAX_BYTES = {MODEL: 64 * 2**20, MANIFEST: 2**20}
"""Largest uncompressed size of each member in bytes."""

_MAX_DIRECTORY = 2**16
_END = struct.Struct("<4s4H2LH")
_END_64 = b"PK\x06\x07"
"""What stands in front of the end of a zip whose directory does not fit into the end record's own numbers."""

_KINDS: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "rules": (str, dict, type(None)),
    "num_players": (int, type(None)),
    "layout_hash": (str,),
    "layout_size": (int,),
    "actions": (list,),
    "whot_env": (str,),
    "provenance": (dict,),
    "strength": (list,),
    "model_sha256": (str,),
}
_KIND_NAMES = {type(None): "null", str: "text", dict: "an object", int: "a whole number", list: "a list"}


class BundleError(WhotError):
    """A Coach bundle that cannot be used; the sentence says why."""


@dataclass(frozen=True)
class Bundle:
    """What a ``.whotcoach`` file holds, checked."""

    model: bytes
    """The ONNX model: ``observation`` [N, LAYOUT.size] to ``logits`` [N, 76] and ``value`` [N]."""
    rules: Rules | None
    """The table it was trained for; None: every table."""
    num_players: int | None
    """... and its seats; None: any number."""
    name: str = "coach"
    provenance: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """How it was made: seed, config, decisions, hours."""
    strength: tuple[Mapping[str, Any], ...] = ()
    """Rows of its strength table, each as ``Result.to_json()`` gives."""
    version: str = whot_env.__version__
    """Version of the environment it was written with."""

    @property
    def sha256(self) -> str:
        """Hex digest of the model."""
        return hashlib.sha256(self.model).hexdigest()

    def manifest(self) -> dict[str, Any]:
        """The JSON object that stands beside the model."""
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "name": self.name,
            "rules": None if self.rules is None else self.rules.to_json(),
            "num_players": self.num_players,
            "layout_hash": LAYOUT.hash,
            "layout_size": LAYOUT.size,
            "actions": list(ACTION_NAMES),
            "whot_env": self.version,
            "provenance": dict(self.provenance),
            "strength": [dict(row) for row in self.strength],
            "model_sha256": self.sha256,
        }


def write_bundle(path: str | Path, bundle: Bundle) -> Path:
    """Write ``bundle`` to ``path`` whole or not at all: a reader never sees half a file.

    Equal bundles give equal bytes.

    Raises:
        BundleError: the model or the manifest is too large, or the file cannot be written.
    """
    path = Path(path)
    manifest = json.dumps(bundle.manifest(), indent=1, ensure_ascii=False).encode()
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in ((MANIFEST, manifest), (MODEL, bundle.model)):
            if len(data) > MAX_BYTES[name]:
                raise BundleError(name, f"{name} has {len(data)} bytes; allowed: at most {MAX_BYTES[name]}")
            info = zipfile.ZipInfo(name)  # its fixed date makes the bytes reproducible
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, data)
    try:
        write_atomically(path, content.getvalue())
    except WhotError as error:
        raise BundleError(error.key, str(error)) from error
    return path


def read_bundle(path: str | Path) -> Bundle:
    """The bundle at ``path``, checked.

    Raises:
        BundleError: one sentence saying why the file is refused.
    """
    path = Path(path)
    members = _read_members(path)
    manifest = _parse_manifest(path, members[MANIFEST])
    sha = hashlib.sha256(members[MODEL]).hexdigest()
    if sha != manifest["model_sha256"]:
        raise BundleError(
            "model_sha256", f"{path}: {MODEL} has SHA-256 {sha} and the manifest says {shown(manifest['model_sha256'])}"
        )
    try:
        rules = _read_rules(manifest["rules"], manifest["num_players"])
    except WhotError as error:
        raise BundleError(error.key, f"{path}: {error}") from error
    return Bundle(
        model=members[MODEL],
        rules=rules,
        num_players=manifest["num_players"],
        name=manifest["name"],
        provenance=manifest["provenance"],
        strength=tuple(manifest["strength"]),
        version=manifest["whot_env"],
    )


def _read_rules(value: Any, num_players: int | None) -> Rules | None:
    if (value is None) != (num_players is None):
        raise BundleError("num_players", "rules and num_players are not both null; allowed: both or neither")
    if value is None or num_players is None:
        return None
    rules = as_rules(value)
    rules.check_seats(num_players)
    return rules


def _read_members(path: Path) -> dict[str, bytes]:
    """The two members by name, read no further than their limits."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(_checked_end(path, file)) as archive:
            _check_names(path, archive.namelist())
            return {name: _read_member(path, archive, name) for name in MAX_BYTES}
    except OSError as error:
        raise BundleError("path", f"{path} cannot be read: {error.strerror or error}") from error
    except WhotError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, OverflowError) as error:
        # RuntimeError is zipfile's word for an encrypted or too new member.
        raise BundleError("path", f"{path} is not a whole Coach bundle: {error}") from error


def _checked_end(path: Path, file: BinaryIO) -> BinaryIO:
    """``file``, whose directory is small: zipfile reads all of it before anyone can look at a name."""
    size = file.seek(0, os.SEEK_END)
    tail = 20 + _END.size
    file.seek(max(0, size - tail))
    data = file.read(tail)
    if len(data) < _END.size:
        raise BundleError("path", f"{path} is not a whole Coach bundle: it has {size} bytes")
    signature, *_, directory, _, comment = _END.unpack(data[-_END.size :])
    if signature != b"PK\5\6" or comment or data[: -_END.size].startswith(_END_64):
        raise BundleError("path", f"{path} is not a whole Coach bundle: it does not end as a plain zip does")
    if directory > _MAX_DIRECTORY:
        allowed = f"allowed: {MODEL} and {MANIFEST}, once each"
        raise BundleError("members", f"{path} has a directory of {directory} bytes; {allowed}")
    return file


def _check_names(path: Path, names: list[str]) -> None:
    allowed = f"allowed: {MODEL} and {MANIFEST}, once each"
    for name in names:
        if name not in MAX_BYTES:
            raise BundleError("members", f"{path} has the member {shown(name)}; {allowed}")
    for name in MAX_BYTES:
        if names.count(name) != 1:
            raise BundleError("members", f"{path} has the member {name!r} {names.count(name)} times; {allowed}")


def _read_member(path: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    limit = MAX_BYTES[name]
    info = archive.getinfo(name)
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # Only these two are read in bounded memory whatever the header says.
        raise BundleError(name, f"{path}: {name} is compressed by method {info.compress_type}; allowed: deflate")
    size = info.file_size
    if size <= limit:
        with archive.open(name) as member:
            # The header may lie about the size, so the read itself is bounded too.
            data = member.read(limit + 1)
        if len(data) <= limit:
            return data
        size = len(data)
    raise BundleError(name, f"{path}: {name} has {size} bytes or more; allowed: at most {limit}")


def _parse_manifest(path: Path, data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise BundleError(MANIFEST, f"{path}: {MANIFEST} is not JSON: {error}") from error
    if not isinstance(value, dict) or cast(dict[str, Any], value).get("format") != FORMAT:
        raise BundleError("format", f"{path}: {MANIFEST} does not say 'format': {FORMAT!r}")
    manifest = cast(dict[str, Any], value)
    if type(manifest.get("format_version")) is not int or manifest["format_version"] != FORMAT_VERSION:
        raise BundleError(
            "format_version",
            f"{path}: format_version is {shown(manifest.get('format_version'))}; allowed here: {FORMAT_VERSION}",
        )
    for key, kinds in _KINDS.items():
        if not isinstance(manifest.get(key), kinds) or isinstance(manifest[key], bool):
            allowed = " or ".join(_KIND_NAMES[kind] for kind in kinds)
            raise BundleError(key, f"{path}: {key} is {shown(manifest.get(key))}; allowed: {allowed}")
    if not all(isinstance(row, dict) for row in manifest["strength"]):
        raise BundleError("strength", f"{path}: strength has a row that is no object; allowed: a list of objects")
    if (manifest["layout_hash"], manifest["layout_size"]) != (LAYOUT.hash, LAYOUT.size):
        raise BundleError(
            "layout_hash",
            f"{path}: made for observation layout {shown(manifest['layout_hash'])} "
            f"({shown(manifest['layout_size'])} numbers), "
            f"this version has {LAYOUT.hash} ({LAYOUT.size} numbers);"
            f" retrain it or use whot-env {shown(manifest['whot_env'])}",
        )
    if manifest["actions"] != list(ACTION_NAMES):
        raise BundleError(
            "actions",
            f"{path}: its {len(manifest['actions'])} action names are not this version's {len(ACTION_NAMES)}; "
            f"retrain it or use whot-env {shown(manifest['whot_env'])}",
        )
    return manifest
