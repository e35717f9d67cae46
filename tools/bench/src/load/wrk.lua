-- Sends raw HTTP requests in turn. They are read from the standard input, each after a line with its length.
local requests, index = {}, 0

function init()
  local text, at = io.read('*a'), 1
  while at <= #text do
    local _, last, length = text:find('^(%d+)\n', at)
    at = last + tonumber(length) + 1
    requests[#requests + 1] = text:sub(last + 1, at - 1)
  end
end

function request()
  index = index % #requests + 1
  return requests[index]
end

function done(summary, latency)
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.stderr:write(string.format(
    '{"seconds":%.6f,"requests":%d,"refused":%d,"broken":%d,"p50":%.3f}\n',
    summary.duration / 1e6, summary.requests, errors.status, broken,
    latency:percentile(50) / 1e3))
end
