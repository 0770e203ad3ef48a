/** A text from a template of shapes, and what of it is secret: what stands between the marks `«…»`. */
export function marked(template, fakes) {
  const text = fakes.make(template)
  return {
    text: text.replace(/[«»]/g, ''),
    secrets: [...text.matchAll(/«(.*?)»/gs)].map(([, secret]) => secret),
  }
}
