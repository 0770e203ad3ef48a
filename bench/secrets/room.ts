/** What the benchmark measures, in one bundle: a rule taken out of the table is out of the scanner as well. */
export { findByRules } from '../../src/secrets/find.ts'
export { secretRules } from '../../src/secrets/rules.ts'
export { createScanner } from '../../src/secrets/scanner.ts'
export { claimed } from '../../test/unit/secrets/claimed.ts'
export { everyday } from '../../test/unit/secrets/everyday.ts'
export { createFakes } from '../../test/unit/secrets/fake.ts'
export * as generator from '../../test/unit/secrets/generator.ts'
export { drawEveryday } from '../../test/unit/secrets/surrounded.ts'
