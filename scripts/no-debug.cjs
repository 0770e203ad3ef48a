// Stands for debug, which simple-git and file-exists bring along to tell what they do under DEBUG=…; nothing is told here.
'use strict'
function silent() {
  return Object.assign(() => {}, {
    enabled: false,
    namespace: '',
    log() {},
    extend: silent,
    destroy: () => true,
  })
}
module.exports = Object.assign(silent, { default: silent, formatters: {}, enable() {}, disable: () => '' })
