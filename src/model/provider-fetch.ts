/** What a service sent does not end. */
export class TooLarge extends Error {}

/** As `fetch`, but a body of more than so many bytes, unpacked, is an error as soon as it is that long, and the connection is closed. */
export const boundedFetch =
  (most: number): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    if (response.body === null) return response
    let size = 0
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(part, controller) {
          size += part.byteLength
          if (size > most) controller.error(new TooLarge(`it answered with more than ${most >> 20} MB`))
          else controller.enqueue(part)
        },
      }),
    )
    return new Response(counted, response)
  }
