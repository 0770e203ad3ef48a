/** The thread of `raw-scan.ts`; in the built program a file of its own. */
import { parentPort, workerData } from 'node:worker_threads'
import { scanFile } from './scan-file.ts'

const { fd, end } = workerData as { fd: number; end: number }
parentPort?.postMessage(scanFile(fd, end))
