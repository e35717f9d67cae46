export { TemplatePage } from './list-templates.dto.js';
export { IsTemplateBody, maxTemplateLength, placeholderError } from './template-body.js';
export {
  changeTemplate,
  createTemplate,
  findTemplate,
  listTemplates,
  removeTemplate,
} from './template.contract.js';
export {
  ChangeTemplateFields,
  ChangeTemplateRequest,
  CreateTemplateRequest,
  FindTemplateRequest,
  Template,
} from './template.dto.js';
