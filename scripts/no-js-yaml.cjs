// gray-matter asks for js-yaml when it loads; its engines are replaced (src/brief/front-matter.ts), so it is never used.
const refuse = () => {
  throw new Error('js-yaml is not part of this build')
}
module.exports = { safeLoad: refuse, safeDump: refuse, load: refuse, dump: refuse }
