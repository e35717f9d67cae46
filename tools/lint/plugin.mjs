import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importFault } from './import-rules.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Checks static and dynamic imports, and re-exports. */
const imports = {
  create(context) {
    const file = relative(root, context.filename);
    const check = ({ source }) => {
      const message = typeof source?.value === 'string' ? importFault(file, source.value) : undefined;
      if (message) context.report({ node: source, message });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};

/**
 * What is used only as a type is imported with `type`, so that its module is not loaded. Like the rule
 * `consistent-type-imports`, but not in files with decorators, where a type in a constructor is also a value.
 */
const typeImports = {
  create(context) {
    const values = [];
    let hasDecorators = false;
    return {
      ImportDeclaration(node) {
        if (node.importKind !== 'type') values.push(...context.sourceCode.getDeclaredVariables(node));
      },
      Decorator() {
        hasDecorators = true;
      },
      'Program:exit'() {
        for (const { references, defs } of hasDecorators ? [] : values) {
          const [{ node }] = defs;
          const isType = references.length > 0 && references.every((reference) => reference.isTypeReference);
          if (isType && node.importKind !== 'type')
            context.report({ node, message: 'It is used only as a type: import it with `type`.' });
        }
      },
    };
  },
};

/** Node 20 gives wrong results for URLs such as `https://ü.example` once it has compiled the callers of `URL.canParse`. */
const parseUrl = {
  create: (context) => ({
    MemberExpression(node) {
      if (node.object.name === 'URL' && node.property.name === 'canParse')
        context.report({ node, message: 'It is wrong in Node 20: use parseUrl of libs/protocol.' });
    },
  }),
};

/** The lint rules of this repository, for `.oxlintrc.json`. */
export default {
  meta: { name: 'gangan' },
  rules: { imports, 'parse-url': parseUrl, 'type-imports': typeImports },
};
