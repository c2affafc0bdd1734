using System.Buffers;
using System.Net;
using System.Text.Json;
using Weir.Client.Requests;
using Weir.Runtime;

namespace Weir.Client.Responses;

/// <summary>
/// Reads one response of JSON lines, item by item, as they arrive. Used by one flow at a time. An item that is in the buffer already is
/// returned without a task; the stream is complete only if its last line says so, with the count.
/// </summary>
internal sealed class ItemEnumerator<T>(ServiceClient client, ClientRequest request, ClientValue<T> codec, LinkedToken caller) : IAsyncEnumerator<T>
{
    private const int SmallestBuffer = 16 * 1024;

    private static readonly TimeSpan LongestDrain = TimeSpan.FromSeconds(1);

    private readonly CallLimit _limit = new(request.Operation.Name, client.Options.Deadline, caller.Token);
    private readonly TimeSpan? _idle = client.Options.IdleTimeout;
    private readonly int? _longest = client.Options.MaxItemBytes;
    private readonly string _operation = request.Operation.Name;

    // Fires when the call is ended or the response was silent for too long; made with the response.
    private CancellationTokenSource? _reading;
    private HttpResponseMessage? _response;
    private Stream? _stream;

    // What was received and not yet returned: from _start to _end; no line feed before _searched.
    private byte[] _buffer = [];
    private int _start;
    private int _searched;
    private int _end;

    private long _index;
    private State _state;

    private enum State
    {
        Begun,
        Reading,
        Complete,
        Failed,
    }

    private enum Line
    {
        None,
        Item,
        End,
    }

    public T Current { get; private set; } = default!;

    public ValueTask<bool> MoveNextAsync()
    {
        if (_state == State.Reading)
        {
            switch (Next())
            {
                case Line.Item:
                    return new ValueTask<bool>(true);
                case Line.End:
                    return DrainAsync();
                default:
                    return ReceiveAsync();
            }
        }

        return _state == State.Begun ? ReceiveAsync() : default;
    }

    public ValueTask DisposeAsync()
    {
        if (_state == State.Reading)
        {
            _state = State.Failed;
        }

        _response?.Dispose();
        _reading?.Dispose();
        _limit.Dispose();
        caller.Dispose();
        if (_state == State.Complete && _buffer.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_buffer);
        }

        _buffer = [];
        return default;
    }

    private async ValueTask<bool> ReceiveAsync()
    {
        if (_state == State.Begun)
        {
            // What is thrown here is the answer to the call; no item was promised.
            _state = State.Failed;
            if (!await OpenAsync().ConfigureAwait(false))
            {
                _state = State.Complete;
                return false;
            }

            _state = State.Reading;
        }

        while (true)
        {
            await FillAsync().ConfigureAwait(false);
            switch (Next())
            {
                case Line.Item:
                    return true;
                case Line.End:
                    return await DrainAsync().ConfigureAwait(false);
            }
        }
    }

    // Whether there is a stream: a filter may have answered without one.
    private async ValueTask<bool> OpenAsync()
    {
        _response = await client.SendAsync(request, _limit).ConfigureAwait(false);
        if (_response.StatusCode == HttpStatusCode.NoContent)
        {
            return false;
        }

        if (!IsProved(_response))
        {
            throw new UnexpectedResponseException(
                $"{_operation} answered with {_response.Content.Headers.ContentType?.ToString() ?? "no content type"}, which cannot prove that a stream is complete, and the contract says items: does BaseAddress name a server of this contract, with Weir?");
        }

        _reading = CancellationTokenSource.CreateLinkedTokenSource(_limit.Token);
        _buffer = ArrayPool<byte>.Shared.Rent(SmallestBuffer);
        _stream = await ResponseStreams.OpenAsync(_response, _limit.Token).ConfigureAwait(false);
        return true;
    }

    private static bool IsProved(HttpResponseMessage response)
    {
        if (response.Content.Headers.ContentType is { MediaType: "application/x-ndjson" } type)
        {
            foreach (var parameter in type.Parameters)
            {
                if (parameter.Name == "weir" && parameter.Value == "1")
                {
                    return true;
                }
            }
        }

        return false;
    }

    // Receives at least one byte.
    private async ValueTask FillAsync()
    {
        MakeSpace();
        int count;
        try
        {
            var read = ResponseStreams.ReadAsync(_stream!, _buffer, _end, _reading!.Token);
            if (_idle is { } idle && !read.IsCompleted)
            {
                _reading.CancelAfter(idle);
                count = await read.ConfigureAwait(false);
                _reading.CancelAfter(Timeout.Infinite);
            }
            else
            {
                count = await read.ConfigureAwait(false);
            }
        }
        catch (Exception error)
        {
            _state = State.Failed;
            _limit.ThrowIfReached(error);
            throw _reading!.IsCancellationRequested
                ? Interrupted($"the server was silent for {_idle!.Value.TotalMilliseconds:0} ms, without items and without heartbeats.", new TimeoutException("The response was silent for too long.", error))
                : Interrupted("the connection failed: " + error.Message, error);
        }

        if (count == 0)
        {
            _state = State.Failed;
            throw Interrupted("the response ended without saying that it is complete.", null);
        }

        _end += count;
    }

    private void MakeSpace()
    {
        if (_start == _end)
        {
            _start = _searched = _end = 0;
            return;
        }

        if (_end < _buffer.Length)
        {
            return;
        }

        var kept = _end - _start;
        if (kept > _longest)
        {
            _state = State.Failed;
            throw new UnexpectedResponseException($"Item {_index} of {_operation} is larger than {_longest} bytes: raise WeirClientOptions.MaxItemBytes.");
        }

        var target = kept <= _buffer.Length / 2 ? _buffer : ArrayPool<byte>.Shared.Rent(checked(_buffer.Length * 2));
        Buffer.BlockCopy(_buffer, _start, target, 0, kept);
        if (target != _buffer)
        {
            ArrayPool<byte>.Shared.Return(_buffer);
            _buffer = target;
        }

        _searched -= _start;
        (_start, _end) = (0, kept);
    }

    // The next line in the buffer that is not a heartbeat.
    private Line Next()
    {
        while (true)
        {
            var feed = _buffer.AsSpan(_searched, _end - _searched).IndexOf((byte)'\n');
            if (feed < 0)
            {
                _searched = _end;
                return Line.None;
            }

            var line = _buffer.AsSpan(_start, _searched + feed - _start);
            _start = _searched = _searched + feed + 1;
            if (line.Length > 0)
            {
                return Take(line);
            }
        }
    }

    private Line Take(ReadOnlySpan<byte> line)
    {
        if (line.Length > _longest)
        {
            _state = State.Failed;
            throw new UnexpectedResponseException($"Item {_index} of {_operation} has {line.Length} bytes, and WeirClientOptions.MaxItemBytes is {_longest}.");
        }

        try
        {
            if (!MarkedLine.IsMarked(line))
            {
                Current = codec.Read(line);
                _index++;
                return Line.Item;
            }

            var marked = MarkedLine.Parse(line);
            if (marked.Kind == MarkedLine.Item)
            {
                Current = codec.Read(line.Slice(marked.From, marked.Length));
                _index++;
                return Line.Item;
            }

            _state = State.Failed;
            if (marked.Kind == MarkedLine.Problem)
            {
                throw request.Operation.ToException(ProblemReader.TryRead(line.Slice(marked.From, marked.Length)) ?? throw new JsonException("A problem is not an object."));
            }

            if (marked.Count != _index)
            {
                throw Interrupted($"the server sent {marked.Count} items, and {_index} arrived.", null);
            }

            _state = State.Complete;
            return Line.End;
        }
        catch (JsonException error)
        {
            _state = State.Failed;
            throw new UnexpectedResponseException($"Item {_index} of {_operation} is JSON that the contract does not describe: {error.Message}", error);
        }
        catch (UnknownEnumValueException)
        {
            _state = State.Failed;
            throw;
        }
    }

    // The end of the response follows the last line at once; read, it leaves the connection to the next request. Whether it comes decides nothing more.
    private async ValueTask<bool> DrainAsync()
    {
        try
        {
            _reading!.CancelAfter(LongestDrain);
            while (await ResponseStreams.ReadAsync(_stream!, _buffer, 0, _reading.Token).ConfigureAwait(false) > 0)
            {
            }
        }
        catch (Exception error) when (error is IOException or HttpRequestException or OperationCanceledException)
        {
            // Every item was delivered and counted.
        }

        return false;
    }

    private StreamInterruptedException Interrupted(string cause, Exception? inner) => new(_operation, _index, cause, inner);
}
