# SPDX-License-Identifier: Apache-2.0
"""What a test does where a fixture is missing: it fails if the fixture could be there, and skips itself if not."""
import os
import sys
from pathlib import Path

SKIPPED = 77  # CTest's SKIP_RETURN_CODE of our scripts
CHECKOUT = Path(__file__).resolve().parent.parent.parent


def shared_folder():
    """The folder that archives of fixtures lie in, or None: $LATHE_SHARED or ../shared of the checkout, as ./dev has it."""
    folder = Path(os.environ.get("LATHE_SHARED", CHECKOUT.parent / "shared"))
    return folder if folder.is_dir() else None


def missing(path, shared=True):
    """Ends the script: `path` is not there. `shared`: only the shared folder has it."""
    if shared and shared_folder() is None:
        print(f"{path} is not there, and there is no shared folder to unpack it from")
        sys.exit(SKIPPED)
    print(f"{path} is missing: ./dev test makes it")
    sys.exit(1)
