"""How much do two pictures of a page differ? Counted by the browser that has taken them."""

from __future__ import annotations

import base64

from playwright.sync_api import Browser

_COMPARE = """async ([one, other]) => {
  const read = async (data) => {
    const picture = await createImageBitmap(await (await fetch('data:image/png;base64,' + data)).blob());
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext('2d');
    context.drawImage(picture, 0, 0);
    return context.getImageData(0, 0, picture.width, picture.height);
  };
  const a = await read(one), b = await read(other);
  if (a.width !== b.width || a.height !== b.height) return 1;
  let different = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    const apart = [0, 1, 2].some((part) => Math.abs(a.data[at + part] - b.data[at + part]) > 8);
    different += apart ? 1 : 0;
  }
  return different / (a.width * a.height);
}"""


def difference(browser: Browser, one: bytes, other: bytes) -> float:
    """The part of the pixels that are not the same, 0 to 1; 1 for pictures of another size."""
    page = browser.new_page()
    try:
        coded = [base64.b64encode(each).decode() for each in (one, other)]
        return float(page.evaluate(_COMPARE, coded))
    finally:
        page.close()
