// Validates files with the Khronos validator, and fails with every error and warning. NODE_MODULES has the package.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
const validator = createRequire(process.env.NODE_MODULES + '/_.js')('gltf-validator');
for (const file of process.argv.slice(2)) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), { uri: file });
  for (const { severity, code, pointer, message } of report.issues.messages) {
    if (severity < 2) {
      console.error(`${file}: ${code} ${pointer}: ${message}`);
      process.exitCode = 1;
    }
  }
}
