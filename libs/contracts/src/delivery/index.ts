export { deliveriesDue, otpDeliveryDue, otpDeliveryEnded } from './delivery.contract.js';
export {
  DeliveriesDue,
  type DeliveryText,
  type FailedDeliveryStatus,
  failedDeliveryStatuses,
  maxDeliveriesPerChunk,
  OtpDeliveryEnded,
} from './delivery.dto.js';
