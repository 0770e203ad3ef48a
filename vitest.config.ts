import { defineConfig } from 'vitest/config'

// Three tiers, each with its own time limit: unit (no disk), repo (real git in temporary folders), e2e (the built bin).
const tier = (name: string, testTimeout: number) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    pool: 'forks' as const,
    testTimeout,
    hookTimeout: testTimeout,
    env: { NODE_EXTRA_CA_CERTS: '' },
  },
})

export default defineConfig({
  test: {
    projects: [tier('unit', 5_000), tier('repo', 60_000), tier('e2e', 240_000)],
  },
})
