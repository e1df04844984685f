-- The load of a working day: products, offers, searches, and one order among a hundred requests, or among ORDER_EVERY.
local number = 0
local order_every = tonumber(os.getenv("ORDER_EVERY") or 100)

request = function()
  number = number + 1
  local id = number % 500 + 1
  if number % order_every == 0 then return wrk.format("POST", "/products/" .. id .. "/orders") end
  if number % 10 == 0 then return wrk.format("GET", "/products?named=" .. id) end
  if number % 2 == 0 then return wrk.format("GET", "/products/" .. id .. "/offer") end
  return wrk.format("GET", "/products/" .. id)
end

-- One line at the end: requests, microseconds, failed requests, and the 50th and 99th percentile in microseconds.
done = function(summary, latency, requests)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("figures: %d %d %d %d %d\n", summary.requests, summary.duration, failed,
    latency:percentile(50), latency:percentile(99)))
end
