-- Single /track requests for wrk: a fixed event with a new event_id each time, as the tracker sends them.
-- 500 visitors take turns. Arguments: token, round. The text is put together by hand because wrk.format costs more than the request.
local before, middle, last, after, count

function init(arguments)
  local token, round = arguments[1], arguments[2]
  local id = string.format("%-10s", round):gsub(" ", "_")
  local head = '{"token":"' .. token .. '","event":"page_view","user_id":"anon_' .. id
  local part = '","session_id":"sess_' .. id
  local rest = '","properties":{"url":"https://www.example.com/pricing","path":"/pricing","title":"Pricing | Example",'
    .. '"referrer":"https://www.google.com/","hostname":"www.example.com","screen":"1920x1080","language":"en-US",'
    .. '"timezone":"America/New_York","browser":"Chrome","browser_version":"139","os":"Windows","device":"desktop",'
    .. '"session_count":2,"days_since_first_visit":9,"utm_source":"newsletter"},"event_id":"' .. id .. '_'
  local tail = '"}'
  local length = #head + 3 + #part + 3 + #rest + 10 + #tail
  before = "POST /track HTTP/1.1\r\nHost: localhost\r\nUser-Agent: sightline-load/1.0\r\nContent-Length: "
    .. length .. "\r\n\r\n" .. head
  middle, last, after = part, rest, tail
  count = 0
end

function request()
  count = count + 1
  local visitor = string.format("%03d", count % 500)
  return before .. visitor .. middle .. visitor .. last .. string.format("%010d", count) .. after
end
