export {
  ListTemplatesRequest,
  TemplatePage,
  TemplatePageMeta,
  TemplatePagination,
  usualTemplatePage,
} from './list-templates.dto.js';
export { IsTemplateBody, longestTemplate, placeholderFault } from './template-body.js';
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
