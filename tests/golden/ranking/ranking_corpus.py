"""A harbour's software in several languages, written for these tests: files, and questions with the file they want."""

from __future__ import annotations

FILES = {
    "README.md": "# Harbour\n\nBerths, ships, tolls and the tide. Run `make serve` to see the board.\n",
    "docs/tolls.md": "# Tolls\n\nA toll is paid per metre of hull and per night. Fishing boats pay half.\n\n"
    "## Refunds\n\nWho leaves before noon gets the night back.\n",
    "docs/deploy.md": "# Deployment\n\nCopy the image, restart the service, watch the tide feed reconnect.\n",
    "harbour/__init__.py": "from harbour.berths import BerthPlan\nfrom harbour.tolls import toll_for\n",
    "harbour/berths.py": '''"""Which ship lies where."""

from harbour.errors import BerthTaken, NoSuchBerth


class BerthPlan:
    """All berths of the harbour and the ships in them."""

    def __init__(self, lengths):
        self.lengths = lengths
        self.ships = {}

    def assign(self, ship, number):
        """Give a berth to a ship; it must be free and long enough."""
        if number not in self.lengths:
            raise NoSuchBerth(f"there is no berth {number}")
        if number in self.ships:
            raise BerthTaken(f"berth {number} is taken by {self.ships[number].name}")
        self.ships[number] = ship

    def release(self, number):
        """Make a berth free again."""
        return self.ships.pop(number)

    def find_free(self, hull_length):
        """The shortest free berth that a hull fits into."""
        fitting = [n for n, length in self.lengths.items() if n not in self.ships and length >= hull_length]
        return min(fitting, key=self.lengths.__getitem__, default=None)
''',
    "harbour/errors.py": '''class HarbourError(Exception):
    """What a harbour master can mend."""


class BerthTaken(HarbourError):
    pass


class NoSuchBerth(HarbourError):
    pass


class TideUnknown(HarbourError):
    pass
''',
    "harbour/tolls.py": '''"""What a ship pays."""

RATE_PER_METRE = 3
FISHING_DISCOUNT = 0.5


def toll_for(ship, nights):
    """The toll by hull length and nights; fishing boats get a discount."""
    toll = ship.hull_length * RATE_PER_METRE * nights
    return toll * FISHING_DISCOUNT if ship.kind == "fishing" else toll


def refund_early_departure(toll, departure_hour):
    """Pay a night back to who leaves before noon."""
    return toll if departure_hour < 12 else 0
''',
    "harbour/tide/feed.py": '''"""Water levels from the coast guard's feed."""

import json
import time


class TideFeed:
    """Reads levels and reconnects when the line drops."""

    def __init__(self, connect):
        self.connect = connect

    def read_levels(self):
        while True:
            try:
                for line in self.connect():
                    yield json.loads(line)["level"]
            except ConnectionError:
                self.wait_before_retry()

    def wait_before_retry(self, seconds=5):
        """Back off so that the coast guard is not flooded with requests."""
        time.sleep(seconds)
''',
    "harbour/tide/forecast.py": '''"""When is the water high enough?"""

from harbour.errors import TideUnknown


def next_high_water(levels):
    """The hour of the next high water by interpolation between measured levels."""
    if not levels:
        raise TideUnknown("no water level was measured today")
    return max(range(len(levels)), key=levels.__getitem__)


def can_enter(draught, level, depth):
    """Whether a ship of that draught clears the sand bank."""
    return level + depth > draught + 0.5
''',
    "harbour/tide/__init__.py": "",
    "harbour/settings.py": '"""Settings from the environment."""\n\nimport os\n\n'
    'FEED_URL = os.environ.get("HARBOUR_FEED", "")\n'
    'BOARD_PORT = int(os.environ.get("HARBOUR_PORT", "8080"))\n',
    "harbour/cli.py": '''"""The command line of the harbour master."""

import argparse


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="harbour")
    parser.add_argument("--verbose", action="store_true")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("berths")
    commands.add_parser("tolls")
    return parser.parse_args(arguments)
''',
    "board/src/index.ts": "export { Board } from './board';\nexport { formatClock } from './clock';\n",
    "board/src/board.ts": """import { formatClock } from './clock';

/** The board that shows arrivals to everybody on the quay. */
export class Board {
  private rows: string[] = [];

  constructor(private readonly capacity: number) {}

  announceArrival(ship: string, at: Date): void {
    this.rows.unshift(`${formatClock(at)} ${ship}`);
    this.trimRows();
  }

  /** Oldest rows fall off when the board is full. */
  private trimRows(): void {
    this.rows.length = Math.min(this.rows.length, this.capacity);
  }
}
""",
    "board/src/clock.ts": """export function formatClock(at: Date): string {
  const pad = (n: number) => String(n).padStart(2, '0');
  return `${pad(at.getHours())}:${pad(at.getMinutes())}`;
}
""",
    "board/src/board.test.ts": """import { Board } from './board';

test('a full board drops its oldest arrival', () => {
  const board = new Board(1);
  board.announceArrival('Gull', new Date());
  board.announceArrival('Heron', new Date());
});
""",
    "board/style.css": ".board-row { font-family: monospace; }\n.board-row.late { color: crimson; }\n",
    "radio/server.go": """package radio

import (
	"errors"
	"net"
)

var ErrChannelBusy = errors.New("radio channel is busy")

// ListenOnChannel accepts calls of ships until the listener is closed.
func ListenOnChannel(listener net.Listener, answer func(net.Conn)) error {
	for {
		call, err := listener.Accept()
		if err != nil {
			return err
		}
		go answer(call)
	}
}
""",
    "radio/codec.go": """package radio

// EncodeMorse turns letters into dots and dashes.
func EncodeMorse(text string) string {
	out := ""
	for _, letter := range text {
		out += morse[letter] + " "
	}
	return out
}

var morse = map[rune]string{'a': ".-", 'b': "-...", 'c': "-.-."}
""",
    "radio/server_test.go": """package radio

import "testing"

func TestListenOnChannelStops(t *testing.T) {
	t.Log("a closed listener ends the loop")
}
""",
    "crane/src/lib.rs": """pub mod winch;

/// Lifts containers from the deck to the quay.
pub struct Crane {
    pub load_limit: u32,
}

impl Crane {
    /// Refuses what is heavier than the limit.
    pub fn lift_container(&self, weight: u32) -> Result<(), String> {
        if weight > self.load_limit {
            return Err(format!("container of {weight} kg is too heavy"));
        }
        winch::pull_rope(weight);
        Ok(())
    }
}
""",
    "crane/src/winch.rs": """/// Pulls the rope with a force that fits the weight.
pub fn pull_rope(weight: u32) -> u32 {
    weight * 10
}
""",
    "customs/src/main/java/customs/Inspector.java": """package customs;

public class Inspector {
    private final int strictness;

    public Inspector(int strictness) {
        this.strictness = strictness;
    }

    /** Whether a declared cargo has to be opened. */
    public boolean needsInspection(Cargo cargo) {
        return cargo.declaredValue() > 1000 / strictness;
    }
}
""",
    "customs/src/test/java/customs/InspectorTest.java": """package customs;

public class InspectorTest {
    public void expensiveCargoNeedsInspection() {
        assert new Inspector(10).needsInspection(new Cargo(500));
    }
}
""",
    "tests/test_berths.py": """from harbour.berths import BerthPlan


def test_a_taken_berth_is_refused():
    plan = BerthPlan({1: 20})
    plan.assign("Gull", 1)


def test_find_free_prefers_the_shortest_berth():
    assert BerthPlan({1: 20, 2: 10}).find_free(8) == 2
""",
    "examples/assign_a_berth.py": "from harbour import BerthPlan\n\nBerthPlan({1: 20}).assign('Gull', 1)\n",
    "scripts/backup.sh": "#!/bin/sh\n# Copies the logbook to the other quay each night.\n"
    'rsync -a logbook/ "$BACKUP_HOST:logbook/"\n',
}

_REPORT = """\
Second ship gets a berth that is taken

**What happens**
I called `plan.assign(ship, 4)` twice. The second call should raise but the first ship is gone.

```python
from harbour.berths import BerthPlan
plan = BerthPlan({4: 30})
plan.assign(gull, 4)
```

### Versions
Python: 3.11.4
numpy   1.26.0
"""

_TRACE = """\
Crash at night when nothing was measured

Traceback (most recent call last):
  File "/opt/harbour/cli.py", line 12, in main
    show(next_high_water(levels))
  File "/opt/harbour/tide/forecast.py", line 9, in next_high_water
    raise TideUnknown("no water level was measured today")
harbour.errors.TideUnknown: no water level was measured today
"""

#: Question, the file that is wanted, and among how many of the first it has to be.
QUESTIONS = (
    ("BerthPlan", "harbour/berths.py", 1),
    ("find_free", "harbour/berths.py", 1),
    ("announce_arrival", "board/src/board.ts", 1),
    ("Crane::lift_container", "crane/src/lib.rs", 1),
    ("needsInspection", "customs/src/main/java/customs/Inspector.java", 1),
    ("ErrChannelBusy", "radio/server.go", 1),
    ("how is the toll of a fishing boat computed", "harbour/tolls.py", 1),
    ("reconnect when the tide feed drops", "harbour/tide/feed.py", 1),
    ("where do old rows fall off the board", "board/src/board.ts", 1),
    ("turn letters into dots and dashes", "radio/codec.go", 1),
    ("which port does the board listen on", "harbour/settings.py", 3),
    ("parse command line arguments", "harbour/cli.py", 1),
    ("copy the logbook every night", "scripts/backup.sh", 1),
    ("harbour/tide/forecast.py:14", "harbour/tide/forecast.py", 1),
    ("what is in C:\\src\\board\\src\\clock.ts:2?", "board/src/clock.ts", 1),
    ("there is no berth 7", "harbour/berths.py", 1),
    ("container of 900 kg is too heavy", "crane/src/lib.rs", 1),
    ("tests for a taken berth", "tests/test_berths.py", 1),
    ("an example of assigning a berth", "examples/assign_a_berth.py", 3),
    ("documentation of refunds", "docs/tolls.md", 1),
    ("colour of late rows", "board/style.css", 3),
    (_REPORT, "harbour/berths.py", 1),
    (_TRACE, "harbour/tide/forecast.py", 1),
)
