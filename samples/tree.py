"""The site that the sample servers serve: real documents, free to share.

Everything comes from Debian packages, so that two machines get the same site:
the Python manual, the Debian handbook and reference, and the notes of the
packages that every Debian system has. Next to them are archives of those
documents, which are what people fetch by FTP.
"""

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

# folder on the site, folder on the machine, the package that brings it
SOURCES = [
    ("python", Path("/usr/share/doc/python3-doc/html"), "python3-doc"),
    ("handbook", Path("/usr/share/doc/debian-handbook/html/en-US"), "debian-handbook"),
    ("reference", Path("/usr/share/debian-reference"), "debian-reference-en"),
]
LARGEST_PAGE = 300_000  # whole indexes are reached by links only
LICENCES = Path("/usr/share/common-licenses")


def build(root: Path) -> None:
    """Makes the site in `root`, which must not exist yet."""
    root.mkdir(parents=True)
    for name, source, _ in SOURCES:
        shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("*.gz"))
    shutil.copytree(LICENCES, root / "licences")
    copy_package_notes(root / "packages")
    make_archives(root)
    (root / "index.html").write_text(start_page(root))
    open_to_all(root)


def pages(root: Path) -> list[str]:
    """The paths of the pages that people look for, as in a URL."""
    found = sorted(p for p in root.rglob("*.html")
                   if "_static" not in p.parts and p.stat().st_size < LARGEST_PAGE)
    return ["/" + str(p.relative_to(root)) for p in found]


def folders(root: Path) -> list[Path]:
    return [root] + sorted(p for p in root.rglob("*") if p.is_dir())


def files(root: Path, smallest: int, largest: int) -> list[Path]:
    """All files between two sizes, relative to the root."""
    found = sorted(p for p in root.rglob("*") if p.is_file())
    return [p.relative_to(root) for p in found if smallest <= p.stat().st_size <= largest]


def small_folders(root: Path, largest: int) -> list[Path]:
    """Folders with a few files and not too many bytes: what one takes as a whole."""
    found = []
    for folder in folders(root):
        inside = list(folder.rglob("*"))
        if 3 <= len(inside) <= 25 and sum(p.stat().st_size for p in inside) <= largest:
            found.append(folder)
    return found


def copy_package_notes(target: Path) -> None:
    """Copyright notes and change logs of the packages every Debian has."""
    listing = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${Priority}\n"],
        check=True, capture_output=True, text=True,
    ).stdout
    for line in listing.splitlines():
        package, _, priority = line.partition(" ")
        notes = Path("/usr/share/doc") / package
        if priority == "required" and notes.is_dir() and not notes.is_symlink():
            shutil.copytree(notes, target / package, dirs_exist_ok=True,
                            ignore_dangling_symlinks=True)


def make_archives(root: Path) -> None:
    """An archive of every larger folder, one of each part, one of the whole."""
    target = root / "archives"
    target.mkdir()
    parts = [root / name for name, _, _ in SOURCES]
    inner = [p for part in parts for p in part.iterdir() if p.is_dir()]
    for folder in parts + inner:
        if sum(1 for _ in folder.rglob("*")) >= 5:
            name = "-".join(folder.relative_to(root).parts).replace("_", "")
            pack(target / f"{name}.tar.gz", [folder], root)
    pack(target / "everything.tar.gz", parts, root)


def pack(archive: Path, folders: list[Path], root: Path) -> None:
    with tarfile.open(archive, "w:gz", compresslevel=4) as tar:
        for folder in folders:
            tar.add(folder, arcname=folder.relative_to(root), filter=without_owner)


def without_owner(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = 0
    info.uname = info.gname = "root"
    return info


def start_page(root: Path) -> str:
    links = ["python/index.html", "handbook/index.html", "reference/index.en.html",
             "packages/", "archives/", "licences/"]
    links += [f"packages/{p.name}/" for p in sorted((root / "packages").iterdir())]
    items = "\n".join(f'<li><a href="/{link}">{link}</a></li>' for link in links)
    return ("<!doctype html><html><head><title>Documents</title>\n"
            '<link rel="stylesheet" href="/python/_static/pydoctheme.css">\n'
            '<link rel="icon" href="/favicon.ico"></head>\n'
            '<body><img src="/python/_static/py.svg" alt="">\n'
            f"<h1>Documents</h1><ul>{items}</ul></body></html>\n")


def open_to_all(root: Path) -> None:
    """The servers run as users of their own: they must be able to read, not write."""
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            os.chmod(path, 0o755 if path.is_dir() else 0o644)
