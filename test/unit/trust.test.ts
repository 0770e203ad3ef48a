import { describe, expect, it } from 'vitest'
import { judgeTrust, type TrustFacts } from '../../src/trust.ts'

const nothing: TrustFacts = {
  isPlain: true,
  matchesHead: true,
  createdHere: false,
  blobTrusted: false,
  onRemote: false,
  remoteTrusted: false,
  remoteMoved: false,
  signedWell: false,
  editedBy: null,
}

/** Where a brief may come from, each as the facts that it comes down to. */
const SCENARIOS: [string, Partial<TrustFacts>, boolean][] = [
  ['own brief, created in this clone', { createdHere: true }, true],
  ["a teammate's branch pushed to origin", { onRemote: true, remoteTrusted: true }, true],
  ['a pull request of a fork, checked out as a local branch', { remoteTrusted: true }, false],
  ['the same, merged locally and not pushed', { remoteTrusted: true }, false],
  [
    'the same, with pull request refs mirrored under origin/pr',
    { remoteTrusted: true, onRemote: false },
    false,
  ],
  ['the same, with the fork added as a remote', { remoteTrusted: true, onRemote: false }, false],
  ['trusted by the user, by content', { blobTrusted: true }, true],
  ['work tree edited after that', { blobTrusted: true, matchesHead: false }, false],
  ['merged to the default branch of origin', { onRemote: true, remoteTrusted: true }, true],
  ["a fresh clone of a stranger's repository", { onRemote: true, remoteTrusted: false }, false],
  ['a forged author e-mail', {}, false],
  ['a committed symlink', { createdHere: true, isPlain: false }, false],
]

describe('trust', () => {
  it.each(SCENARIOS)('%s', (_, facts, trusted) => {
    expect(judgeTrust({ ...nothing, ...facts }).trusted).toBe(trusted)
  })

  it('takes a good signature of an allowed signer', () => {
    expect(judgeTrust({ ...nothing, signedWell: true })).toEqual({
      trusted: true,
      because: 'its commit is well signed',
    })
  })

  it('asks again when origin has moved, and only about what origin carries', () => {
    const moved = { ...nothing, onRemote: true, remoteMoved: true }
    expect(judgeTrust(moved)).toEqual({
      trusted: false,
      because: expect.stringContaining('handoff trust --origin'),
    })
    expect(judgeTrust({ ...moved, onRemote: false }).because).not.toContain('origin')
    for (const own of [{ createdHere: true }, { blobTrusted: true }, { signedWell: true }])
      expect(judgeTrust({ ...moved, ...own }).trusted).toBe(true)
  })

  it('says which commit edited what was made here', () => {
    const edited = { ...nothing, editedBy: 'f090571' }
    expect(judgeTrust(edited)).toEqual({
      trusted: false,
      because: 'it was edited after its commit, by f090571',
    })
    expect(judgeTrust({ ...edited, blobTrusted: true }).trusted).toBe(true)
  })

  it('always says why', () => {
    for (const [, facts] of SCENARIOS) expect(judgeTrust({ ...nothing, ...facts }).because).not.toBe('')
  })
})
