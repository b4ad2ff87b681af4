"""Who is measured against whom. An engine meets engines, an environment for learners meets its like."""

import ours
import peers
from measure import Pair

PAIRS = (
    Pair("spiel-bare", ours.ENGINE, peers.SPIEL_BARE),
    Pair("spiel-observation", ours.ENGINE, peers.SPIEL_SEEN, target=7),
    Pair("spiel-native", ours.ENGINE, peers.SPIEL_NATIVE, target=2),
    Pair("pgx", ours.ENGINE, peers.PGX),
    Pair("envpool", ours.ENGINE, peers.ENVPOOL),
    Pair("rows", ours.ENGINE, peers.ROWS),
    Pair("uno-engine", ours.ENGINE, peers.UNO, target=75),
    Pair("uno-batch", ours.ONE_LANE, peers.UNO),
    Pair("uno-game", ours.GAME, peers.UNO),
    Pair("texas-env", ours.ENV, peers.TEXAS_ENV, target=4),
    Pair("texas-raw", ours.RAW_ENV, peers.TEXAS_RAW, target=4),
    Pair("leduc-env", ours.ENV, peers.LEDUC_ENV, target=4),
    Pair("leduc-raw", ours.RAW_ENV, peers.LEDUC_RAW, target=4),
    Pair("gymnasium", ours.GYMNASIUM, peers.NUMPY),
    Pair("sb3", ours.SB3, peers.NUMPY),
)
