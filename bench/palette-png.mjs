import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
const MOST = 256

/**
 * The picture with at most 256 colours, a third of its bytes: the most frequent stay, each other becomes the nearest of them. Reads
 * what Chromium writes: 8 bits, RGB or RGBA without transparency, not interlaced. Throws for any other.
 */
export function withPalette(png) {
  const { width, height, pixels } = decode(png)
  const counts = new Map()
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1)
  const palette = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a)).slice(0, MOST)
  const indexes = new Map(palette.map((color, index) => [color, index]))
  for (const color of counts.keys()) if (!indexes.has(color)) indexes.set(color, nearest(palette, color))
  const rows = Buffer.alloc((width + 1) * height)
  for (let i = 0; i < pixels.length; i++) rows[i + Math.floor(i / width) + 1] = indexes.get(pixels[i])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits, by a palette.
  header.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(parts))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const parts = (color) => [color >> 16, (color >> 8) & 255, color & 255]

function nearest(palette, color) {
  const distances = palette.map((one) =>
    parts(one).reduce((sum, part, i) => sum + (part - parts(color)[i]) ** 2, 0),
  )
  return distances.indexOf(Math.min(...distances))
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** Pixels as 0xrrggbb, row by row. */
function decode(png) {
  const chunks = { IDAT: [] }
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    const data = png.subarray(at + 8, at + 8 + length)
    if (type === 'IDAT') chunks.IDAT.push(data)
    else chunks[type] = data
    at += 12 + length
  }
  const [width, height] = [chunks.IHDR.readUInt32BE(0), chunks.IHDR.readUInt32BE(4)]
  const [bits, kind, , , interlaced] = chunks.IHDR.subarray(8)
  const size = { 2: 3, 6: 4 }[kind]
  if (bits !== 8 || size === undefined || interlaced !== 0) throw new Error('a PNG of another kind')
  const raw = inflateSync(Buffer.concat(chunks.IDAT))
  const span = width * size
  let above = Buffer.alloc(span)
  const pixels = []
  for (let y = 0; y < height; y++) {
    const row = raw.subarray(y * (span + 1) + 1, (y + 1) * (span + 1))
    const undo = FILTERS[raw[y * (span + 1)]]
    for (let x = 0; x < span; x++) {
      const isFirst = x < size
      row[x] += undo(isFirst ? 0 : row[x - size], above[x], isFirst ? 0 : above[x - size])
    }
    for (let x = 0; x < span; x += size) {
      if (size === 4 && row[x + 3] !== 255) throw new Error('a PNG with transparency')
      pixels.push((row[x] << 16) | (row[x + 1] << 8) | row[x + 2])
    }
    above = row
  }
  return { width, height, pixels }
}

/** What stands left, above and above left, by the number of the filter (PNG, section 9.2). */
const FILTERS = [
  () => 0,
  (left) => left,
  (_, above) => above,
  (left, above) => (left + above) >> 1,
  (left, above, corner) => {
    const far = [left, above, corner].map((one) => Math.abs(left + above - corner - one))
    return [left, above, corner][far.indexOf(Math.min(...far))]
  },
]
