using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;

namespace Weir.Http.FanOut;

/// <summary>
/// One fan-out: reads requests, sends as many as the bounds allow, and passes the results to the flow that enumerates. It has no thread that reads: the flow
/// whose request ended reads the next one, also for other calls that wait for one, and sends it.
/// </summary>
/// <typeparam name="TValue">What is read from a response.</typeparam>
/// <typeparam name="TResult">The type of the results.</typeparam>
[SuppressMessage("Design", "CA1001", Justification = "StopAsync is its end, and disposes it.")]
internal sealed class FanOutRun<TValue, TResult> : IValueTaskSource<bool>, IThreadPoolWorkItem
{
    // From here on the code that enumerates runs on the flow whose request ended, before its next request is sent: one place in 16 idles at most.
    private const int LeastInline = 16;

    private readonly TimeProvider _time;
    private readonly IAsyncEnumerable<HttpRequestMessage> _requests;
    private readonly Exchange<TValue, TResult> _exchange;
    private readonly CancellationTokenSource _stopping;
    private readonly RequestTokens _tokens;
    private readonly RequestLimiter _limiter;
    private readonly SentRequests? _sent;
    private readonly int _mostCalls;
    private readonly int _mostWaiting;
    private readonly bool _wakesInline;

    // Requests are sent in the context of the code that enumerates, not in that of the code that took some result.
    private readonly ExecutionContext? _context = ExecutionContext.Capture();
    private readonly object _gate = new();

    // Under _gate. Calls without a request: these, and those that were not needed yet.
    private readonly Stack<Call> _idle = new();
    private readonly Queue<(long Index, TResult Result)> _completed = new();
    private int _calls;
    private int _notTaken;
    private bool _isReading;
    private bool _isInputOver;
    private bool _isStopped;
    private bool _isTaken;

    // The flow that enumerates waits for _signal.
    private bool _isWaited;
    private ManualResetValueTaskSourceCore<bool> _signal;

    // The flow that set _isReading; the failure is written before _isInputOver.
    private IAsyncEnumerator<HttpRequestMessage>? _input;
    private long _read;
    private Exception? _failure;

    /// <param name="requests">The input.</param>
    /// <param name="options">Bounds.</param>
    /// <param name="exchange">Reads the responses.</param>
    /// <param name="stopping">Cancels everything; cancelled by <see cref="StopAsync"/>, too.</param>
    public FanOutRun(IAsyncEnumerable<HttpRequestMessage> requests, FanOutOptions options, Exchange<TValue, TResult> exchange, CancellationTokenSource stopping)
    {
        _time = options.TimeProvider;
        _requests = requests;
        _exchange = exchange;
        _stopping = stopping;
        _tokens = new RequestTokens(exchange.Client.Timeout, _time, stopping.Token);
        _limiter = new RequestLimiter(options);
        _sent = options.SendsEqualOnce ? new SentRequests() : null;

        // Requests that wait for their host must not take the places of those in flight.
        _mostCalls = options.MaxPerHost is null ? options.MaxConcurrency : 2 * options.MaxConcurrency;

        // And the one that the code that enumerates is handling.
        _mostWaiting = options.MaxConcurrency + 1;
        _wakesInline = options.MaxConcurrency >= LeastInline;
        stopping.Token.UnsafeRegister(static run => ((FanOutRun<TValue, TResult>)run!).Cancel(), this);
    }

    // Until the first result was handled, each call is used once: no more requests are read than may be in flight.
    private bool MayRead_NeedsGate => !_isInputOver && !_isStopped && _notTaken < _mostWaiting && (_idle.Count > 0 || _calls < _mostCalls) && (_isTaken || _read < _mostCalls);

    private bool IsOver_NeedsGate => (_isInputOver || _isStopped) && !_isReading && _idle.Count == _calls;

    /// <summary>Begins to read the input, on the thread pool: reading may block.</summary>
    public void Start()
    {
        _isReading = true;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    void IThreadPoolWorkItem.Execute()
    {
        if (_context is null)
        {
            _ = SendAsync(null);
        }
        else
        {
            ExecutionContext.Run(_context, static run => _ = ((FanOutRun<TValue, TResult>)run!).SendAsync(null), this);
        }
    }

    /// <summary>Whether there may be results to take; waits while there may only be some later. Throws what the input threw, after the last result.</summary>
    public ValueTask<bool> MayTakeAsync()
    {
        lock (_gate)
        {
            if (_completed.Count > 0 || _stopping.IsCancellationRequested)
            {
                return new(true);
            }

            if (IsOver_NeedsGate)
            {
                return _failure is null ? new(false) : ValueTask.FromException<bool>(_failure);
            }

            return Wait_NeedsGate();
        }
    }

    /// <summary>The next result. It still counts until <see cref="Taken"/>.</summary>
    public bool TryTake(out (long Index, TResult Result) completed)
    {
        lock (_gate)
        {
            return _completed.TryDequeue(out completed);
        }
    }

    /// <summary>The code that enumerates has handled a result, and asks for the next one: further requests may be read.</summary>
    public void Taken()
    {
        lock (_gate)
        {
            _notTaken--;
            _isTaken = true;
            if (_isReading || !MayRead_NeedsGate)
            {
                return;
            }

            _isReading = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Cancels what has not ended, waits for it, and drops results that were not taken.</summary>
    public async ValueTask StopAsync()
    {
        lock (_gate)
        {
            _isStopped = true;
        }

        // Those that wait are not sent any more.
        _limiter.Dispose();
        try
        {
            await _stopping.CancelAsync().ConfigureAwait(false);
        }
        finally
        {
            // Also if a callback of the token threw.
            await EndAsync().ConfigureAwait(false);
            if (!_isInputOver)
            {
                await EndInputAsync().ConfigureAwait(false);
            }

            while (_completed.TryDequeue(out var completed))
            {
                _exchange.Drop(completed.Result);
            }
        }
    }

    bool IValueTaskSource<bool>.GetResult(short token) => _signal.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => _signal.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _signal.OnCompleted(continuation, state, token, flags);

    private ValueTask<bool> EndAsync()
    {
        lock (_gate)
        {
            return IsOver_NeedsGate ? new(true) : Wait_NeedsGate();
        }
    }

    private ValueTask<bool> Wait_NeedsGate()
    {
        _signal.Reset();
        _isWaited = true;
        return new(this, _signal.Version);
    }

    // Wakes the flow that enumerates, if it waits for what there is now. Its continuation runs on the thread pool.
    private void Wake_NeedsGate()
    {
        if (TakeWait_NeedsGate())
        {
            Wake(inline: false);
        }
    }

    // Whether the flow that enumerates waits for what there is now: the caller wakes it.
    private bool TakeWait_NeedsGate()
    {
        if (!_isWaited || !(IsOver_NeedsGate || (!_isStopped && (_completed.Count > 0 || _stopping.IsCancellationRequested))))
        {
            return false;
        }

        _isWaited = false;
        return true;
    }

    private void Wake(bool inline)
    {
        _signal.RunContinuationsAsynchronously = !inline;
        _signal.SetResult(true);
    }

    private void Cancel()
    {
        lock (_gate)
        {
            Wake_NeedsGate();
        }

        _tokens.Cancel();
    }

    // Sends a request, or the next one of the input, and those after it. Throws nothing.
    private async Task SendAsync(Call? call)
    {
        call ??= await ReadAsync().ConfigureAwait(false);
        while (call is not null)
        {
            TResult result;
            HttpResponseMessage? response = null;
            var wakesInline = false;
            try
            {
                // The client applies its own time limit until the headers.
                call.Begin(_tokens.For(call.StartedAt));
                var sending = _exchange.Client.SendAsync(call.Request, HttpCompletionOption.ResponseHeadersRead, call.Token);

                // A request that completes at once ends on the stack of the flow that reads the input, which must not wait for the code that enumerates.
                wakesInline = _wakesInline && !sending.IsCompleted;
                response = await sending.ConfigureAwait(false);
                call.FirstByte = _time.GetElapsedTime(call.StartedAt);
                _limiter.HeadersArrived(call, response);
                var value = await _exchange.ReadAsync(response, call.Token).ConfigureAwait(false);
                result = _exchange.Complete(Report(call), response, value);
            }
            catch (Exception failure)
            {
                Release(response);
                result = _exchange.Fail(Report(call), response?.StatusCode, Explain(failure, response is not null, call.Token));
            }

            // Before others start: one whose handler completes at once ends, too, before the limiter returns.
            Deliver(call.Index, result, wakesInline);
            _limiter.End(call);
            call = await NextAsync(call).ConfigureAwait(false);
        }
    }

    private CallReport Report(Call call) =>
        new(call.Index, call.Attempts, new FanOutTiming(_time.GetElapsedTime(call.ReadAt, call.StartedAt), call.FirstByte, _time.GetElapsedTime(call.StartedAt)));

    private Exception Explain(Exception failure, bool isAnswered, CancellationToken token)
    {
        if (!token.IsCancellationRequested || _stopping.IsCancellationRequested)
        {
            return failure;
        }

        var (what, step) = isAnswered ? ("The response was not read", "Set a longer one, or read less.") : ("There was no response", "Set a longer one.");
        var message = string.Create(CultureInfo.InvariantCulture, $"{what} within {nameof(HttpClient)}.{nameof(HttpClient.Timeout)}, which is {_exchange.Client.Timeout}. {step}");
        return new TaskCanceledException(message, new TimeoutException(message, failure), token);
    }

    // The request has failed already: what disposing its response throws must not end the flow.
    private static void Release(HttpResponseMessage? response)
    {
        try
        {
            response?.Dispose();
        }
        catch (Exception)
        {
        }
    }

    private void Deliver(long index, TResult result, bool inline)
    {
        bool wakes;
        lock (_gate)
        {
            _completed.Enqueue((index, result));
            _notTaken++;
            wakes = TakeWait_NeedsGate();
        }

        if (wakes)
        {
            Wake(inline);
        }
    }

    // The request of a call has ended. The call to go on with; null where others go on, or nothing may be read now.
    private ValueTask<Call?> NextAsync(Call call)
    {
        call.Clear();
        lock (_gate)
        {
            _idle.Push(call);
            Wake_NeedsGate();
            if (_isReading || !MayRead_NeedsGate)
            {
                return default;
            }

            _isReading = true;
        }

        return ReadAsync();
    }

    // Reads requests for all calls that have none, and starts them, the last excepted, which it returns. The caller has set _isReading. Throws nothing.
    private async ValueTask<Call?> ReadAsync()
    {
        try
        {
            _input ??= _requests.GetAsyncEnumerator(_stopping.Token);
            while (await _input.MoveNextAsync().ConfigureAwait(false))
            {
                var call = Add(_input.Current);
                bool goesOn;
                lock (_gate)
                {
                    goesOn = _isReading = MayRead_NeedsGate;
                    Wake_NeedsGate();
                }

                if (!goesOn)
                {
                    return call;
                }

                call?.Start();
            }
        }
        catch (Exception failure)
        {
            _failure = failure;
        }

        await EndInputAsync().ConfigureAwait(false);
        return null;
    }

    private async ValueTask EndInputAsync()
    {
        try
        {
            if (_input is not null)
            {
                await _input.DisposeAsync().ConfigureAwait(false);
            }
        }
        catch (Exception failure)
        {
            _failure ??= failure;
        }

        lock (_gate)
        {
            _isInputOver = true;
            _isReading = false;
            Wake_NeedsGate();
        }
    }

    // The call if it may be sent now.
    private Call? Add(HttpRequestMessage request)
    {
        var index = _read++;
        if (_sent?.FindOrAdd(index, request, _exchange.Client.BaseAddress) is { } first)
        {
            Deliver(index, _exchange.Duplicate(index, first), inline: false);
            return null;
        }

        Call? call;
        lock (_gate)
        {
            if (!_idle.TryPop(out call))
            {
                call = new Call(this);
                _calls++;
            }
        }

        call.Prepare(index, request, _time.GetTimestamp());
        if (_limiter.TryAdd(HostKey.Of(_exchange.AddressOf(request)), call, out var starts))
        {
            return starts ? call : null;
        }

        Drop(call);
        return null;
    }

    private void Drop(Call call)
    {
        call.Clear();
        lock (_gate)
        {
            _idle.Push(call);
            Wake_NeedsGate();
        }
    }

    /// <summary>A place for a request: used for one after the other.</summary>
    private sealed class Call(FanOutRun<TValue, TResult> run) : LimitedCall
    {
        private AttemptCounter? _attempts;

        private FanOutRun<TValue, TResult> Run => run;

        public long Index { get; private set; }

        public HttpRequestMessage Request { get; private set; } = null!;

        /// <summary>When it was read from the input, as a timestamp of the fan-out's clock.</summary>
        public long ReadAt { get; private set; }

        public CancellationToken Token { get; private set; }

        public TimeSpan? FirstByte { get; set; }

        public int Attempts => _attempts?.Count ?? 1;

        public void Prepare(long index, HttpRequestMessage request, long readAt)
        {
            Index = index;
            Request = request;
            ReadAt = readAt;
            FirstByte = null;
        }

        /// <summary>Forgets the request: a call without one must not keep its body.</summary>
        public void Clear()
        {
            Request = null!;
            Token = default;
            _attempts = null;
        }

        public void Begin(CancellationToken token)
        {
            Token = token;
            _attempts = AttemptCounter.AddTo(Request);
        }

        // A handler that completes at once ends the request here, which starts one that waited, and so on.
        public override void Start()
        {
            if (RuntimeHelpers.TryEnsureSufficientExecutionStack())
            {
                _ = run.SendAsync(this);
            }
            else
            {
                ThreadPool.QueueUserWorkItem(static call => _ = call.Run.SendAsync(call), this, preferLocal: false);
            }
        }

        public override void Drop() => run.Drop(this);
    }
}
