import { writeFileSync } from 'node:fs'

/**
 * Takes a picture of a part of a page, `{ x, y, width, height }` in CSS pixels, as lossless WebP, which has a third of the bytes of a
 * PNG. Asks Chromium itself: Playwright has no WebP.
 */
export async function takePicture(page, box, path) {
  const session = await page.context().newCDPSession(page)
  // Of quality 100 Chromium makes a lossless one.
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 100,
    clip: { ...box, scale: 1 },
    // Where it is not needed it leaves parts of the page unpainted.
    captureBeyondViewport: box.height > (page.viewportSize()?.height ?? 0),
  })
  await session.detach()
  writeFileSync(path, Buffer.from(data, 'base64'))
}
