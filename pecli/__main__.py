"""``python -m pecli``."""

from pecli.cli import main

if __name__ == "__main__":
    main()
