-- Finds an error by the id of its request, which a client quotes.
CREATE INDEX request_errors_by_request ON request_errors (request_id);
