"""What may be touched on the disk of a collection? The one door to its files.

Collections are handed around, and one may have been made to harm: a link in the place of a file or folder would let us
overwrite, cut or delete what lies elsewhere, and a FIFO would let us wait for ever. So a path is walked folder by
folder from its root, no link is followed, and only a regular file is opened; what stands in its place is `Damaged`,
with the cure. Names are matched against the shape of those we make: what we did not make is not listed or deleted.

A path that comes here has no link above the collection either: `collection/folder.py` sees to that, so DIR itself may
be one. Libraries that open files by themselves are let in after `require_plain` has looked at all there is. Whoever
writes has anchored DIR (`anchors`): it is the same directory then, whatever is moved to its place.
"""

from gossamer.files.faults import reading, told, unreadable
from gossamer.files.reads import (
    SMALL,
    Mode,
    about,
    address,
    descriptor,
    entries,
    folder_descriptor,
    folders,
    is_file,
    is_folder,
    is_same,
    kind,
    names,
    open,
    read,
    read_at,
    require_plain,
    size,
    tree,
)
from gossamer.files.walk import A_FILE, A_FOLDER, A_LINK
from gossamer.files.writes import (
    PARTIAL,
    close_to_others,
    link,
    make_folder,
    move,
    move_folder,
    open_like_folder,
    put_aside,
    remove,
    remove_folder,
    remove_tree,
    replace,
    sync_folder,
)

__all__ = [
    "A_FILE",
    "A_FOLDER",
    "A_LINK",
    "PARTIAL",
    "SMALL",
    "Mode",
    "about",
    "address",
    "close_to_others",
    "descriptor",
    "entries",
    "folder_descriptor",
    "folders",
    "is_file",
    "is_folder",
    "is_same",
    "kind",
    "link",
    "make_folder",
    "move",
    "move_folder",
    "names",
    "open",
    "open_like_folder",
    "put_aside",
    "read",
    "read_at",
    "reading",
    "remove",
    "remove_folder",
    "remove_tree",
    "replace",
    "require_plain",
    "size",
    "sync_folder",
    "told",
    "tree",
    "unreadable",
]
