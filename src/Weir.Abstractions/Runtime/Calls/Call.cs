using System.ComponentModel;
using System.Security.Claims;
using System.Threading.Tasks.Sources;

namespace Weir.Runtime;

/// <summary>
/// One call of one operation: its arguments, then its result. The generator writes a class per operation; entry points bind or
/// set the arguments, an executor runs it, the entry point writes the result. Used by one flow at a time, and then for another call.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class Call : IValueTaskSource, IThreadPoolWorkItem
{
    private static readonly IAsyncDisposable Released = new NothingHeld();

    private CallCompletion _completion;
    private IAsyncDisposable? _held;
    private object? _heldResult;
    private int _isRented;
    private bool _returnsWhenTaken;
    private bool _isValidated;

    /// <summary>A call of an operation.</summary>
    /// <param name="operation">The operation.</param>
    protected Call(Operation operation) => Operation = operation;

    /// <summary>The operation.</summary>
    public Operation Operation { get; }

    /// <summary>What filters and the method see of the call; set by the code that runs the call, where something needs it.</summary>
    public OperationContext? Context { get; set; }

    /// <summary>Who makes the call, where code said it: the argument of a <see cref="ClaimsPrincipal"/> parameter. <c>null</c> over HTTP, whose transport has the user. Set before the call is run.</summary>
    public ClaimsPrincipal? Caller { get; set; }

    /// <summary>The result, boxed: <c>null</c> for nothing, and for a stream. For filters; setting it replaces the result.</summary>
    /// <exception cref="InvalidCastException">The value is not of the operation's result type.</exception>
    public abstract object? Result { get; set; }

    /// <summary>
    /// Whether there is a result: the operation returned one, or a filter set it. <c>false</c> for nothing, for a stream, and where a
    /// filter skipped the operation or caught its failure.
    /// </summary>
    public virtual bool HasResult => false;

    /// <summary>Whether the result is null. Unlike <see cref="Result"/> it boxes nothing.</summary>
    public virtual bool IsResultNull => false;

    /// <summary>
    /// Whether filters surround the run, and the operation has not succeeded within them: where a filter does not await it, or catches its failure,
    /// it may run on after the pipeline has completed. Set by the pipeline.
    /// </summary>
    public bool MayStillRun { get; set; }

    /// <summary>
    /// Completes when <see cref="End"/> is called: an executor that runs the call elsewhere returns it. To be awaited once per
    /// run; the code that awaits it continues on the thread pool.
    /// </summary>
    public ValueTask WhenEnded => new(this, Version);

    /// <summary>Which run of the call this is.</summary>
    private protected short Version => _completion.Version;

    /// <summary>Whether the call may be reused once its result was taken, because no other code can still refer to it. Content is read after the call, which ends with it.</summary>
    private protected virtual bool IsReusable => Context is null && Operation.ResultKind != ResultKind.Raw && (_held is null || ReferenceEquals(_held, Released));

    /// <summary>The argument of a parameter, boxed. For filters: between <see cref="Bind"/> and the call's completion.</summary>
    /// <param name="index">The parameter's position in <see cref="Operation.Parameters"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">The operation has no such parameter.</exception>
    public virtual object? GetArgument(int index) => throw NoParameter(index);

    /// <summary>Replaces the argument of a parameter. For filters: between <see cref="Bind"/> and the run of the call.</summary>
    /// <param name="index">The parameter's position in <see cref="Operation.Parameters"/>.</param>
    /// <param name="value">Of the parameter's type.</param>
    /// <exception cref="ArgumentOutOfRangeException">The operation has no such parameter.</exception>
    /// <exception cref="InvalidCastException">The value has another type.</exception>
    /// <exception cref="NullReferenceException">The value is null, and the parameter's type has no null.</exception>
    public virtual void SetArgument(int index, object? value) => throw NoParameter(index);

    /// <summary>Makes a value the result, if it has the operation's result type: never for a stream and an operation without a result.</summary>
    /// <param name="value">A candidate.</param>
    /// <returns>Whether it is the result now.</returns>
    public virtual bool TrySetResult(object? value) => false;

    /// <summary>Fills the arguments; afterwards the reader's binding errors list what is wrong.</summary>
    /// <param name="reader">All arguments.</param>
    public abstract void Bind(ArgumentReader reader);

    /// <summary>Whether the arguments of this run were validated: they are once, by the entry point or by the pipeline.</summary>
    public bool IsValidated => _isValidated;

    /// <summary>Evaluates the validation attributes of the arguments. After <see cref="Bind"/>, before <see cref="TakeItems"/>.</summary>
    /// <param name="validator">Receives what is not valid.</param>
    public void Validate(ArgumentValidator validator)
    {
        _isValidated = true;
        ValidateArguments(validator);
    }

    /// <summary>Writes the arguments for a worker.</summary>
    /// <param name="writer">Empty.</param>
    public abstract void WriteArguments(ArgumentWriter writer);

    /// <summary>Sets where the items of a streamed request arrive. After <see cref="Bind"/>, before the call is run.</summary>
    /// <param name="items">Read by the operation while it runs.</param>
    /// <exception cref="InvalidOperationException">The operation streams no request.</exception>
    public virtual void TakeItems(ItemReader items) => throw StreamsNoRequest();

    /// <summary>
    /// Reads what an argument needs before the method runs: of a file its name and headers, which come before its content. After <see cref="TakeItems"/>, before the
    /// call is run; for the code that called it.
    /// </summary>
    /// <param name="cancellationToken">Cancels the waiting.</param>
    /// <exception cref="BindingException">What came is not the argument.</exception>
    public virtual ValueTask OpenContentAsync(CancellationToken cancellationToken) => default;

    /// <summary>The items of a streamed request, for the code that sends them elsewhere: nothing is enumerated before the first advance.</summary>
    /// <param name="cancellationToken">Passed to the caller's enumerator.</param>
    /// <exception cref="InvalidOperationException">The operation streams no request.</exception>
    public virtual ItemSource OpenItems(CancellationToken cancellationToken) => throw StreamsNoRequest();

    /// <summary>Runs the method. Afterwards the result, or the stream's source, is in this call.</summary>
    /// <param name="service">An instance of the served class.</param>
    /// <param name="cancellationToken">Fires when the caller cancels or disconnects, or the deadline passes.</param>
    public abstract ValueTask InvokeAsync(object service, CancellationToken cancellationToken);

    /// <summary>Writes the result.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    /// <param name="encoding"><see cref="ResultEncoding.Raw"/> only for text and bytes.</param>
    public abstract void WriteResult(PayloadWriter output, ResultEncoding encoding);

    /// <summary>Takes the result as a worker encoded it; it is decoded only when it is read.</summary>
    /// <param name="payload">Copied.</param>
    /// <param name="encoding">How it is encoded.</param>
    public abstract void SetEncodedResult(ReadOnlySpan<byte> payload, ResultEncoding encoding);

    /// <summary>The result as a worker encoded it, where it is encoded like this.</summary>
    /// <param name="encoding">How it is to be encoded.</param>
    /// <param name="result">Valid until the result is replaced or the call is returned.</param>
    /// <returns><c>false</c> when there is no such result: <see cref="WriteResult"/> writes it.</returns>
    public virtual bool TryGetEncodedResult(ResultEncoding encoding, out ReadOnlyMemory<byte> result)
    {
        result = default;
        return false;
    }

    /// <summary>Completes the run that <see cref="WhenEnded"/> stands for. For executors; from any thread, once; runs no continuation itself.</summary>
    /// <param name="failure">What is thrown to the code that awaits; <c>null</c> when the result is in the call.</param>
    /// <exception cref="InvalidOperationException">The run has its outcome already.</exception>
    public void End(Exception? failure = null)
    {
        if (_completion.End(failure))
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    /// <summary>Keeps what the result still needs until <see cref="ReleaseAsync"/>. For executors, when the operation has returned.</summary>
    /// <param name="used">Disposed when the result was used.</param>
    /// <param name="result">The result that <paramref name="used"/> disposes with itself; <c>null</c> where it disposes none.</param>
    /// <returns>
    /// What the executor disposes at once: <paramref name="used"/> where the call was released before its operation returned, or what an earlier
    /// run of the operation left; otherwise <c>null</c>.
    /// </returns>
    public IAsyncDisposable? Hold(IAsyncDisposable used, object? result = null)
    {
        ArgumentNullException.ThrowIfNull(used);
        _heldResult = result;
        while (true)
        {
            var before = Volatile.Read(ref _held);
            if (ReferenceEquals(before, Released))
            {
                return used;
            }

            if (ReferenceEquals(Interlocked.CompareExchange(ref _held, used, before), before))
            {
                return before;
            }
        }
    }

    /// <summary>Whether <see cref="ReleaseAsync"/> disposes a result: then no other code disposes it. A filter may have replaced the one that is held.</summary>
    /// <param name="result">A result.</param>
    public bool Holds(object? result) => result is not null && ReferenceEquals(_heldResult, result);

    /// <summary>Disposes what the result needed. For the code that asked the pipeline to hold it, once, whatever the outcome of the call.</summary>
    public ValueTask ReleaseAsync() => Interlocked.Exchange(ref _held, Released)?.DisposeAsync() ?? default;

    /// <summary>
    /// Returns a call of <see cref="Operation.RentCall"/>, to be used again. For the code that rented it, when the call succeeded,
    /// the result was written or read, and no code uses the call any more. A call that failed is left to the garbage
    /// collector, and so is one with a <see cref="Context"/>: a filter may have kept it. A second call does nothing.
    /// </summary>
    public void Return()
    {
        if (Interlocked.Exchange(ref _isRented, 0) != 0 && IsReusable)
        {
            Clear();
            Operation.Keep(this);
        }
    }

    void IValueTaskSource.GetResult(short token)
    {
        _completion.Take(token);
        if (_returnsWhenTaken)
        {
            Return();
        }
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _completion.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _completion.OnCompleted(continuation, state, token, flags);

    void IThreadPoolWorkItem.Execute() => _completion.Publish();

    /// <summary>The items as the method gets them. The call's token cancels waiting for items that arrive from a caller. For generated code.</summary>
    /// <typeparam name="T">The item's type.</typeparam>
    /// <param name="items">The argument.</param>
    /// <param name="cancellationToken">The call's.</param>
    /// <exception cref="ArgumentNullException">There are no items.</exception>
    protected static IAsyncEnumerable<T> Items<T>(IAsyncEnumerable<T> items, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(items);
        return items is ReceivedItems<T> received ? received.Within(cancellationToken) : items;
    }

    /// <summary>Evaluates the validation attributes of the arguments. Written by the generator where there are any.</summary>
    /// <param name="validator">Receives what is not valid.</param>
    protected virtual void ValidateArguments(ArgumentValidator validator)
    {
    }

    /// <summary>The transport of the call, for an operation that takes it. For generated code.</summary>
    /// <typeparam name="T">Its type.</typeparam>
    /// <exception cref="InvalidOperationException">The call has another transport, or none: it came from code.</exception>
    protected T Transport<T>()
        where T : class =>
        Context?.Transport as T ?? throw new InvalidOperationException($"{Operation} takes a part of the {typeof(T).Name}, which only a call over HTTP has.");

    /// <summary>The caller, for an operation that takes it: a principal that is not authenticated where there is none. For generated code.</summary>
    protected ClaimsPrincipal User() => Context?.User ?? new ClaimsPrincipal(new ClaimsIdentity());

    /// <summary>The failure of sending a result that exists only in this process. For generated code.</summary>
    protected NotSupportedException IsHostOnly() => new($"The result of {Operation} exists only in the process that made it, and cannot be sent to another one.");

    /// <summary>Clears what the arguments refer to. Written by the generator where they refer to anything.</summary>
    protected virtual void ClearArguments()
    {
    }

    internal void OnRented() => _isRented = 1;

    /// <summary>Whether a task is this call's own <see cref="WhenEnded"/>, with nothing in between.</summary>
    internal bool IsCompletionOf(ValueTask task) => task.Equals(WhenEnded);

    /// <summary>From now on, taking the outcome returns the call to its pool.</summary>
    internal short ReturnWhenTaken()
    {
        _returnsWhenTaken = true;
        return Version;
    }

    internal ValueTaskSourceStatus GetStatus(short token) => _completion.GetStatus(token);

    internal void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _completion.OnCompleted(continuation, state, token, flags);

    internal void TakeCompletion(short token) => _completion.Take(token);

    private protected virtual void Clear()
    {
        _returnsWhenTaken = false;
        _isValidated = false;
        _held = null;
        _heldResult = null;
        MayStillRun = false;
        Caller = null;
        ClearArguments();
    }

    private ArgumentOutOfRangeException NoParameter(int index) =>
        new(nameof(index), index, $"{Operation} has {Operation.Parameters.Count} parameters that callers supply, counted from 0.");

    private InvalidOperationException StreamsNoRequest() => new($"{Operation} does not take a streamed request.");

    // Marks a call that was released.
    private sealed class NothingHeld : IAsyncDisposable
    {
        public ValueTask DisposeAsync() => default;
    }
}
