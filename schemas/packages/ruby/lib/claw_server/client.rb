# frozen_string_literal: true

require "net/http"
require "uri"

module ClawServer
  # The number of bytes that a response or an event may have.
  MAX_BODY = 64 << 20

  # A response that is an error.
  class ResponseError < StandardError
    # @return [Integer] the status of HTTP
    attr_reader :status
    # @return [ErrorInfo, nil] what is wrong. It is nil if the response is not from the server, but from a proxy before it
    attr_reader :info

    def initialize(status, info)
      @status = status
      @info = info
      super(info ? "status #{status}: #{info.message}" : "status #{status}")
    end
  end

  # Makes the requests of a program that has the token: a method for each request that the server takes. Each request has a
  # connection of its own, so several threads may use it. The methods raise {ResponseError}, {LineError} if a response
  # cannot be read, and what Net::HTTP raises.
  class Client
    # @param origin [String] the origin of the server, such as `http://127.0.0.1:8787`
    # @param token [String] the token for programs
    def initialize(origin:, token:)
      @origin = URI(origin)
      @token = token
    end

    # A client that is inspected shows no token.
    def inspect = "#<ClawServer::Client #{@origin}>"

    private

    def authorization = { "Authorization" => "Bearer #{@token}" }

    def escape(text) = URI.encode_www_form_component(text).gsub("+", "%20")

    def target(path, query)
      query = query.compact
      query.empty? ? path : "#{path}?#{URI.encode_www_form(query)}"
    end

    def nothing(...)
      text(...)
      nil
    end

    def json(type, ...)
      body = text(...)
      body.empty? ? nil : Types.read(type, Parser.parse(body), [])
    end

    def text(method, path, **more) = exchange(method, path, **more) { |response| read(response) }

    # Yields each event. It ends when the server ends the stream, or the block breaks.
    def events(type, method, path, query: {}, headers: {}, **more)
      headers = headers.merge("Accept" => "text/event-stream")
      events = Events.new(type)
      exchange(method, path, query:, headers:, timeout: nil, **more) do |response|
        response.read_body { |piece| events.push(piece) { |event| yield event } }
      end
      nil
    end

    def socket(_method, path, query: {}, headers: {})
      url = @origin.to_s.delete_suffix("/").sub("http", "ws") + target(path, query)
      [url, authorization.merge(headers.compact)]
    end

    def exchange(method, path, query: {}, headers: {}, body: nil, open: false, timeout: 60)
      headers = { "Accept" => "application/json" }.merge(headers.compact)
      headers.merge!(authorization) unless open
      headers["Content-Type"] = "application/json" if body
      request = Net::HTTPGenericRequest.new(method, !body.nil?, true, target(path, query), headers)
      request.body = Writer.text(body) if body
      options = { use_ssl: @origin.scheme == "https", read_timeout: timeout, max_retries: 0 }
      Net::HTTP.start(@origin.hostname, @origin.port, options) do |http|
        http.request(request) do |response|
          raise refusal(response) unless response.is_a?(Net::HTTPSuccess)

          return yield response
        end
      end
    end

    def refusal(response)
      info =
        begin
          ErrorBody.read(Parser.parse(read(response))).error
        rescue LineError
          nil
        end
      ResponseError.new(response.code.to_i, info)
    end

    def read(response)
      text = +""
      response.read_body do |piece|
        text << piece
        raise LineError, "the response has more than #{MAX_BODY} bytes" if text.bytesize > MAX_BODY
      end
      text.force_encoding(Encoding::UTF_8)
    end
  end

  # Divides what a server sends into events.
  class Events
    def initialize(type)
      @type = type
      @line = +"".b
      @size = 0
      @name = ""
    end

    # Yields the events that end in a piece. An event that cannot be read is a {LineError}.
    def push(piece)
      piece.each_line("\n") do |part|
        @line << part
        @size += part.bytesize
        raise LineError, "the event has more than #{MAX_BODY} bytes" if @size > MAX_BODY
        next unless part.end_with?("\n")

        line = @line.chomp.force_encoding(Encoding::UTF_8)
        @line = +"".b
        event = take(line)
        yield event if event
      end
    end

    private

    def take(line)
      return finish if line.empty?

      key, value = line.split(":", 2)
      value = (value || "").delete_prefix(" ")
      case key
      when "id" then @id = value
      when "event" then @name = value
      when "data" then @data = @data ? "#{@data}\n#{value}" : value
      end
      nil
    end

    def finish
      data = @data
      name = @name
      @data = nil
      @name = ""
      @size = 0
      data && Types.read(@type, { "event" => name, "id" => @id, "data" => Parser.parse(data) }.compact, [])
    rescue LineError => e
      e
    end
  end
  private_constant :Events
end
