using System.Buffers;
using System.Globalization;
using System.Net;
using System.Text.Json;
using Weir.Client.Requests;
using Weir.Runtime;

namespace Weir.Client.Responses;

/// <summary>
/// Reads one response of JSON lines, item by item, as they arrive. Used by one flow at a time. An item that is in the buffer already is
/// returned without a task; the stream is complete only if its last line says so, with the count.
/// </summary>
/// <param name="client">Sends the request.</param>
/// <param name="request">The request.</param>
/// <param name="codec">How an item is read.</param>
/// <param name="resumption">How the stream continues after a cut.</param>
/// <param name="from">The index of the first item.</param>
/// <param name="caller">The caller's token.</param>
/// <param name="kept">The name under which the server keeps the items of a job, which are read from <paramref name="from"/> on; <c>null</c> where an operation runs for them.</param>
internal sealed class ItemEnumerator<T>(
    ServiceClient client, ClientRequest request, ClientValue<T> codec, Resumption resumption, long from, LinkedToken caller, string? kept = null) : IAsyncEnumerator<T>
{
    private const int SmallestBuffer = 16 * 1024;

    private static readonly TimeSpan LongestDrain = TimeSpan.FromSeconds(1);

    // Between two attempts to continue.
    private static readonly TimeSpan FirstWait = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(20);

    // What a server may ask for instead: a shorter wait would be a loop, and a longer one a reader that never comes back.
    private static readonly TimeSpan ShortestAsked = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan LongestAsked = TimeSpan.FromMinutes(1);

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

    // Of the whole stream, of which this may be the end.
    private long _index = from;
    private State _state;

    // Of a stream that continues: its name where the server keeps it, attempts since the last item, and when the server wants the next one.
    private string? _stored = from > 0 ? kept : null;
    private int _attempt;
    private TimeSpan? _wait;
    private StreamInterruptedException? _moved;
    private bool _isEndReported;
    private Random? _random;

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
        Moved,
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
                case Line.Moved:
                    return ContinueAsync(_moved!);
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

        Report(StreamPhase.Ended);

        Close();
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
            Report(StreamPhase.Connecting);
            StreamInterruptedException? refused = null;
            var isStream = false;
            try
            {
                isStream = await OpenAsync(after: kept is null ? null : LastEventId).ConfigureAwait(false);
            }
            catch (Exception error) when (kept is not null && Again(error) is not null)
            {
                // A job runs whether it is asked or not: the first request for its items is no other than the next.
                refused = Again(error);
            }

            if (refused is not null)
            {
                return await ContinueAsync(refused).ConfigureAwait(false);
            }

            if (!isStream)
            {
                _state = State.Complete;
                Report(StreamPhase.Ended);
                return false;
            }

            _state = State.Reading;
            Report(StreamPhase.Live);
        }

        while (true)
        {
            StreamInterruptedException? interrupted = null;
            try
            {
                await FillAsync().ConfigureAwait(false);
            }
            catch (StreamInterruptedException error) when (IsContinued)
            {
                interrupted = error;
            }

            if (interrupted is not null)
            {
                return await ContinueAsync(interrupted).ConfigureAwait(false);
            }

            switch (Next())
            {
                case Line.Item:
                    return true;
                case Line.End:
                    return await DrainAsync().ConfigureAwait(false);
                case Line.Moved:
                    return await ContinueAsync(_moved!).ConfigureAwait(false);
            }
        }
    }

    private bool IsContinued => (resumption == Resumption.Source || _stored is not null) && client.Options.MaxResumeAttempts is not 0;

    // The header by which the server finds the next item. Before the first one, an operation that runs again simply runs.
    private string? LastEventId => _stored is null
        ? _index == 0 ? null : (_index - 1).ToString(CultureInfo.InvariantCulture)
        : string.Concat(_stored, ".", (_index - 1).ToString(CultureInfo.InvariantCulture));

    // Connects again behind the last item, until a response begins or too many attempts brought no item; then reads on.
    private async ValueTask<bool> ContinueAsync(StreamInterruptedException cause)
    {
        while (true)
        {
            _state = State.Failed;
            Close();
            if (_attempt >= client.Options.MaxResumeAttempts)
            {
                Report(StreamPhase.Ended, cause);
                throw cause;
            }

            _attempt++;
            Report(StreamPhase.Resuming, cause);
            try
            {
                await Pause.ForAsync(_wait ?? Backoff(), _limit.Token).ConfigureAwait(false);
                _wait = null;
                if (!await OpenAsync(LastEventId).ConfigureAwait(false))
                {
                    throw Interrupted("the server did not continue it.", null);
                }
            }
            catch (Exception error) when (Again(error) is not null)
            {
                cause = Again(error)!;
                continue;
            }
            catch (WeirException error) when (_stored is not null && kept is null && error.Problem is { Status: 404 or 410 })
            {
                var gone = Interrupted("the server does not keep it any more: " + error.Message, error);
                Report(StreamPhase.Ended, gone);
                throw gone;
            }
            catch (Exception error)
            {
                Report(StreamPhase.Ended, error);
                _limit.ThrowIfReached(error);
                throw;
            }

            _state = State.Reading;
            Report(StreamPhase.Live);
            return await ReceiveAsync().ConfigureAwait(false);
        }
    }

    // Whether the operation itself did not fail: the server ended this response, or lost the worker. A source runs again from an index on, by its contract;
    // what a server keeps has ended with its worker.
    private bool IsPassing(RemoteProblem problem) =>
        problem.Code == WeirCodes.Cancelled || (kept is not null && problem.Code == WeirCodes.JobStoreUnavailable) || (resumption == Resumption.Source && problem.Code is (WeirCodes.WorkerLost or WeirCodes.ProtocolViolation));

    // The cause of the next attempt; null where another one would change nothing.
    private StreamInterruptedException? Again(Exception error)
    {
        switch (error)
        {
            case HttpRequestException or IOException:
                return Interrupted("the server could not be reached again: " + error.Message, error);
            case OperationCanceledException or TimeoutException when kept is not null && !_limit.Token.IsCancellationRequested:
                return Interrupted("the server did not answer in time: " + error.Message, error);
            case CallRejectedException rejected:
                _wait = Asked(rejected.RetryAfter);
                return Interrupted("the server did not continue it yet: " + error.Message, error);
            case WeirException { Problem: { Status: 429 or 502 or 503 or 504, Code: not WeirCodes.JobWithoutResult } problem } and not DeadlineExceededException:
                _wait = Asked(problem.RetryAfter);
                return Interrupted("the server did not continue it yet: " + error.Message, error);
            default:
                return null;
        }
    }

    private static TimeSpan? Asked(TimeSpan? wait) => wait is not { } asked ? null : asked < ShortestAsked ? ShortestAsked : asked > LongestAsked ? LongestAsked : asked;

    private TimeSpan Backoff()
    {
        _random ??= new Random(Guid.NewGuid().GetHashCode());
        var ceiling = Math.Min(LongestWait.TotalMilliseconds, FirstWait.TotalMilliseconds * Math.Pow(2, _attempt - 1));
        return TimeSpan.FromMilliseconds(ceiling * (0.5 + (_random.NextDouble() / 2)));
    }

    private void Close()
    {
        _response?.Dispose();
        _reading?.Dispose();
        _response = null;
        _reading = null;
        _stream = null;
        (_start, _searched, _end) = (0, 0, 0);
    }

    // The end is reported once: with its cause where that is known, otherwise when the reader disposes of the enumerator.
    private void Report(StreamPhase phase, Exception? cause = null)
    {
        if (client.Options.StreamStateChanged is { } changed && !_isEndReported)
        {
            _isEndReported = phase == StreamPhase.Ended;
            changed(new StreamState(_operation, phase, _index, phase == StreamPhase.Resuming ? _attempt : 0, cause));
        }
    }

    // Whether there is a stream: a filter may have answered without one.
    private async ValueTask<bool> OpenAsync(string? after)
    {
        _response = await client.SendAsync(request, _limit, after).ConfigureAwait(false);
        if (_response.StatusCode == HttpStatusCode.NoContent)
        {
            return false;
        }

        if (!IsProved(_response))
        {
            throw new UnexpectedResponseException(
                $"{_operation} answered with {_response.Content.Headers.ContentType?.ToString() ?? "no content type"}, which cannot prove that a stream is complete, and the contract says items: does BaseAddress name a server of this contract, with Weir?");
        }

        if (resumption == Resumption.Buffer && _stored is null && _response.Headers.TryGetValues("Weir-Stream", out var names))
        {
            _stored = names.First();
        }
        else
        {
            _stored ??= kept;
        }

        _reading = CancellationTokenSource.CreateLinkedTokenSource(_limit.Token);
        _buffer = _buffer.Length > 0 ? _buffer : ArrayPool<byte>.Shared.Rent(SmallestBuffer);
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
            throw TooLarge(_longest!.Value);
        }

        var target = kept <= _buffer.Length / 2 ? _buffer : ArrayPool<byte>.Shared.Rent(Larger());
        Buffer.BlockCopy(_buffer, _start, target, 0, kept);
        if (target != _buffer)
        {
            ArrayPool<byte>.Shared.Return(_buffer);
            _buffer = target;
        }

        _searched -= _start;
        (_start, _end) = (0, kept);
    }

    private int Larger()
    {
        if (ResponseBody.Doubled(_buffer.Length) is { } length)
        {
            return length;
        }

        _state = State.Failed;
        throw TooLarge(ResponseBody.LargestArray);
    }

    private UnexpectedResponseException TooLarge(int limit) => new(limit == ResponseBody.LargestArray
        ? $"Item {_index} of {_operation} is larger than {limit} bytes, which is the largest array."
        : $"Item {_index} of {_operation} is larger than {limit} bytes: raise WeirClientOptions.{nameof(WeirClientOptions.MaxItemBytes)}.");

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
                Current = codec.ReadChecked(line);
                _index++;
                _attempt = 0;
                return Line.Item;
            }

            var marked = MarkedLine.Parse(line);
            if (marked.Kind == MarkedLine.Item)
            {
                Current = codec.ReadChecked(line.Slice(marked.From, marked.Length));
                _index++;
                _attempt = 0;
                return Line.Item;
            }

            _state = State.Failed;
            if (marked.Kind == MarkedLine.Retry)
            {
                _wait = Asked(TimeSpan.FromMilliseconds(Math.Min(marked.Count, LongestAsked.TotalMilliseconds)));
                _moved = Interrupted("the server asked for another connection.", null);
                return IsContinued ? Line.Moved : throw _moved;
            }

            if (marked.Kind == MarkedLine.Problem)
            {
                if (marked.Length > ProblemReader.LargestBody)
                {
                    throw new JsonException($"A problem has {marked.Length} bytes, and {ProblemReader.LargestBody} are the most that are read.");
                }

                var problem = ProblemReader.TryRead(line.Slice(marked.From, marked.Length)) ?? throw new JsonException("A problem is not an object.");
                var error = request.Operation.ToException(problem);
                if (!IsContinued || !IsPassing(problem))
                {
                    throw error;
                }

                _moved = Interrupted("it failed on the server, and its next items can be asked for: " + error.Message, error);
                return Line.Moved;
            }

            if (marked.Count != _index)
            {
                throw Interrupted($"the server sent {marked.Count} items, and {_index} arrived.", null);
            }

            _state = State.Complete;
            Report(StreamPhase.Ended);
            return Line.End;
        }
        catch (JsonException error)
        {
            _state = State.Failed;
            throw new UnexpectedResponseException($"Item {_index} of {_operation} is JSON that the contract does not describe: {error.Message}", error);
        }
        catch (WeirException)
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
        catch (Exception error) when (error is IOException or InvalidDataException or HttpRequestException or OperationCanceledException)
        {
            // Every item was delivered and counted.
        }

        return false;
    }

    private StreamInterruptedException Interrupted(string cause, Exception? inner) => new(_operation, _index, cause, inner);
}
