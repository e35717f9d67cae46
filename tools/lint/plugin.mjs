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

/**
 * Texts that can reach customers name no command of operators: they cannot run it. Log lines, and what is
 * said about environment variables, reach operators only.
 */
const operatorCommands = {
  create(context) {
    const check = (node, text) => {
      if (typeof text === 'string' && text.includes('pnpm admin') && !isForOperators(node))
        context.report({ node, message: 'It can reach a customer: write what to ask the operator for.' });
    };
    return {
      Literal: (node) => check(node, node.value),
      TemplateElement: (node) => check(node, node.value.raw),
    };
  },
};

const isForOperators = (node) =>
  node ? isLogLine(node) || isAboutVariable(node) || isForOperators(node.parent) : false;

const isLogLine = ({ type, callee }) =>
  type === 'CallExpression' &&
  callee.type === 'MemberExpression' &&
  (callee.object.name ?? callee.object.property?.name) === 'logger';

/** Its meaning, an example of it, or why its value is refused. */
const isAboutVariable = ({ type, key, callee }) =>
  (type === 'Property' && ['desc', 'example'].includes(key.name)) ||
  (type === 'CallExpression' && callee.name === 'reject');

/** SQL, and what takes a transaction: only libs/management has them. */
const closedToCommands = {
  '@gangan/database': 'sql Sql statement command t Prisma Models SqlRunner Statements'.split(' '),
  '@gangan/management': 'change audit changeProviders callFunction asOwner'.split(' '),
};

const modelMethod =
  /^(find(Many|First|Unique)(OrThrow)?|(create|update|delete)(Many)?|upsert|count|aggregate|groupBy)$/;

/** Commands parse, ask and print. What they read or change is a function of libs/management. */
const commands = {
  create(context) {
    const report = (node) => {
      context.report({
        node,
        message: 'Commands have no SQL and no models: add a function to libs/management.',
      });
    };
    return {
      ImportSpecifier(node) {
        if (closedToCommands[node.parent.source.value]?.includes(node.imported.name)) report(node);
      },
      MemberExpression(node) {
        const { object, property, parent } = node;
        const isModel = object.type === 'MemberExpression' && object.object.type !== 'ThisExpression';
        const isCalled = parent.type === 'CallExpression' && parent.callee === node;
        const isModelCall = isModel && isCalled && modelMethod.test(property.name ?? '');
        if (isModelCall || property.name?.startsWith('$')) report(property);
      },
    };
  },
};

/** The lint rules of this repository, for `.oxlintrc.json`. */
export default {
  meta: { name: 'gangan' },
  rules: {
    commands,
    imports,
    'operator-commands': operatorCommands,
    'parse-url': parseUrl,
    'type-imports': typeImports,
  },
};
