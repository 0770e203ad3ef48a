import fc from 'fast-check'

/** Properties draw the same cases in every run, so that CI tells of the change alone; FC_SEED=<n> draws others. */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20261122) })
