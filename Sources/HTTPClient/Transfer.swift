import CCurl

typealias Completion = @Sendable (Result<HTTPClientResponse, HTTPClientError>) -> Void

/// One request on its way, with libcurl's handle. Lives on the client's thread.
final class Transfer {
  let request: HTTPClientRequest
  let completion: Completion
  private let responseBytesMax: Int
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var headers: [(name: String, value: String)] = []
  private var body: [UInt8] = []

  init(_ request: HTTPClientRequest, options: HTTPClient.Options, completion: @escaping Completion) {
    self.request = request
    self.completion = completion
    responseBytesMax = options.responseBytesMax
  }

  deinit { curl_slist_free_all(headerList) }

  /// Sets a fresh or reused handle up for this request.
  func prepare(_ handle: UnsafeMutableRawPointer, options: HTTPClient.Options, remainingSeconds: Double) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    ccurl_set_pointer(handle, CURLOPT_PRIVATE, context)
    ccurl_set_pointer(handle, CURLOPT_URL, request.url)
    ccurl_set_pointer(handle, CURLOPT_CUSTOMREQUEST, request.method)
    ccurl_set_pointer(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    ccurl_set_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
    ccurl_set_long(handle, CURLOPT_TIMEOUT_MS, max(1, Int(min(remainingSeconds, 86_400) * 1000)))
    ccurl_set_pointer(handle, CURLOPT_NOPROXY, "*")
    if let file = options.caFile { ccurl_set_pointer(handle, CURLOPT_CAINFO, file) }
    if request.method == "HEAD" { ccurl_set_long(handle, CURLOPT_NOBODY, 1) }
    setBody(handle)
    setHeaders(handle)
    ccurl_set_write(handle, CURLOPT_WRITEFUNCTION, Transfer.onBody)
    ccurl_set_pointer(handle, CURLOPT_WRITEDATA, context)
    ccurl_set_write(handle, CURLOPT_HEADERFUNCTION, Transfer.onHeader)
    ccurl_set_pointer(handle, CURLOPT_HEADERDATA, context)
  }

  private func setBody(_ handle: UnsafeMutableRawPointer) {
    guard !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) else { return }
    ccurl_set_long(handle, CURLOPT_POSTFIELDSIZE, request.body.count)
    // An empty body still needs a pointer, or libcurl would read standard input.
    guard !request.body.isEmpty else {
      _ = ccurl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, "")
      return
    }
    request.body.withUnsafeBytes { _ = ccurl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
  }

  private func setHeaders(_ handle: UnsafeMutableRawPointer) {
    // No pause for `100 Continue`, and no content type that nobody asked for.
    var lines = ["Expect:"]
    if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) { lines.append("Content-Type:") }
    for (name, value) in request.headers { lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)") }
    for line in lines { headerList = curl_slist_append(headerList, line) }
    ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, headerList)
  }

  private static let onBody: ccurl_write = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    guard transfer.body.count + size * count <= transfer.responseBytesMax else { return 0 }
    transfer.body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: size * count))
    return size * count
  }

  private static let onHeader: ccurl_write = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: size * count), as: UTF8.self)
    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().add(line)
    return size * count
  }

  private func add(_ line: String) {
    // A status line begins a new answer: an interim one (1xx) is forgotten.
    if line.hasPrefix("HTTP/") { headers = [] }
    guard let colon = line.firstIndex(of: ":") else { return }
    let value = line[line.index(after: colon)...].drop { $0 == " " }
    headers.append((line[..<colon].lowercased(), String(value.prefix { $0 != "\r\n" && $0 != "\r" && $0 != "\n" })))
  }

  func finish(_ code: CURLcode, handle: UnsafeMutableRawPointer) {
    switch code {
    case CURLE_OK:
      var status = 0
      ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
      completion(.success(HTTPClientResponse(status: status, headers: headers, body: body)))
    case CURLE_OPERATION_TIMEDOUT: completion(.failure(.timedOut(url: request.url)))
    case CURLE_WRITE_ERROR:
      completion(.failure(.failed(url: request.url, reason: "the answer is over \(responseBytesMax) bytes")))
    default:
      completion(.failure(.failed(url: request.url, reason: String(cString: curl_easy_strerror(code)))))
    }
  }
}
