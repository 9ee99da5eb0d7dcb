import subprocess
import sys


def test_the_client_needs_urllib3_and_the_standard_library_only() -> None:
    """Those who only ask install no extra, and wait for no large import."""
    code = (
        "import sys; before = set(sys.modules); import noiseless.client; "
        "found = {name.partition('.')[0] for name in set(sys.modules) - before}; "
        "print(sorted(found - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['noiseless', 'urllib3']"


def test_the_client_shares_little_with_the_rest() -> None:
    code = (
        "import sys; import noiseless.client; "
        "print(*sorted(name for name in sys.modules if name.startswith('noiseless.') and "
        "not name.startswith('noiseless.client')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    shared = ("amounts", "display", "errors", "exact", "intervals", "logarithm", "replies")
    assert done.stdout.split() == [f"noiseless.{name}" for name in shared]
