using System.ComponentModel;
using System.Security.Claims;
using Weir.Runtime;

namespace Weir;

/// <summary>What filters and methods see of a call besides its arguments. Used by one flow at a time.</summary>
public sealed class OperationContext
{
    private Dictionary<object, object?>? _items;
    private Dictionary<string, string>? _headers;
    private JobContext? _job;

    /// <summary>The context of one call; made by the code that runs the call.</summary>
    /// <param name="call">The call.</param>
    /// <param name="services">The services of the call.</param>
    /// <param name="cancellationToken">Fires when the caller cancels or disconnects, or the deadline passes.</param>
    /// <param name="deadline">When the call must have completed; <c>null</c> means no limit.</param>
    /// <param name="transport">The transport of the call: an <c>HttpContext</c> over HTTP; <c>null</c> from code.</param>
    public OperationContext(Call call, IServiceProvider services, CancellationToken cancellationToken, DateTimeOffset? deadline = null, object? transport = null)
    {
        Call = call;
        Services = services;
        CancellationToken = cancellationToken;
        Deadline = deadline;
        Transport = transport;
    }

    /// <summary>The call; its <see cref="Weir.Runtime.Call.Result"/> may be read and replaced after <c>next</c>.</summary>
    public Call Call { get; }

    /// <summary>The operation that is called.</summary>
    public Operation Operation => Call.Operation;

    /// <summary>The services of the call.</summary>
    public IServiceProvider Services { get; }

    /// <summary>Fires when the caller cancels or disconnects, or the deadline passes.</summary>
    public CancellationToken CancellationToken { get; }

    /// <summary>When the call must have completed; <c>null</c> means no limit.</summary>
    public DateTimeOffset? Deadline { get; }

    /// <summary>The transport of the call: an <c>HttpContext</c> over HTTP; <c>null</c> from code and in a worker.</summary>
    public object? Transport { get; }

    /// <summary>
    /// Who makes the call. Over HTTP the user of the request, also where that is not authenticated; from code what the caller passed for a <see cref="ClaimsPrincipal"/>
    /// parameter. A worker has a copy: identities and claims, without tickets, tokens and properties. <c>null</c> from code without one, for a job, and in a worker
    /// whose pool does not send it (<c>PoolOptions.SendsCaller</c>).
    /// </summary>
    public ClaimsPrincipal? User
    {
        // Read when it is asked for: middleware and filters may replace the user of a request, and most operations do not ask.
        get => UserOf is { } read ? read(Transport!) : field;
        init;
    }

    /// <summary>Reads the user from <see cref="Transport"/>, in place of <see cref="User"/>; <c>null</c>, the default, where the transport has none.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Func<object, ClaimsPrincipal?>? UserOf { private get; init; }

    /// <summary>The job that runs the operation; <c>null</c> for a direct call.</summary>
    public JobContext? Job
    {
        // A worker gets it as items.
        get => _job ??= HasItems ? JobContext.ReadFrom(Items, OnJobProgress) : null;
        init
        {
            _job = value;
            value?.WriteTo(Items);
        }
    }

    /// <summary>Takes the progress of a job that is read from <see cref="Items"/>; <c>null</c>, the default, drops it.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public Action<JobProgress>? OnJobProgress { private get; init; }

    /// <summary>The HTTP status of a successful call, 200 to 599; <c>null</c> means 200, or 204 without a result. Other values fail the call.</summary>
    public int? StatusCode { get; set; }

    /// <summary>
    /// Headers to add to the response; ignored where there is none. A header that is invalid in a response, or <c>Transfer-Encoding</c>, fails the call, and so does
    /// <c>Content-Length</c>, except where the result is a <c>Stream</c> or <c>PipeReader</c>: it has that many bytes, or the response fails.
    /// </summary>
    public IDictionary<string, string> Headers => _headers ??= new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Whether <see cref="Headers"/> has any.</summary>
    public bool HasHeaders => _headers is { Count: > 0 };

    /// <summary>
    /// The result after <c>next</c>, boxed; <c>null</c> where there is none, and for a stream. Setting it replaces the result, or gives a call one whose operation a filter skips.
    /// </summary>
    /// <exception cref="InvalidCastException">The value is not of the operation's result type.</exception>
    public object? Result
    {
        get => Call.Result;
        set => Call.Result = value;
    }

    /// <summary>The argument of a parameter, boxed.</summary>
    /// <param name="index">Its position in <see cref="Operation.Parameters"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">The operation has no such parameter.</exception>
    public object? GetArgument(int index) => Call.GetArgument(index);

    /// <summary>The argument of a parameter, boxed.</summary>
    /// <param name="name">Its name, in any case.</param>
    /// <exception cref="ArgumentException">The operation has no such parameter.</exception>
    public object? GetArgument(string name) => Call.GetArgument(IndexOf(name));

    /// <summary>Replaces an argument, before <c>next</c>. It is not validated again.</summary>
    /// <param name="name">The parameter's name, in any case.</param>
    /// <param name="value">Of the parameter's type.</param>
    /// <exception cref="ArgumentException">The operation has no such parameter.</exception>
    /// <exception cref="InvalidCastException">The value has another type.</exception>
    /// <exception cref="NullReferenceException">The value is null, and the parameter's type has no null.</exception>
    public void SetArgument(string name, object? value) => Call.SetArgument(IndexOf(name), value);

    /// <summary>
    /// Values that filters pass to each other, and to a method. A method in a worker gets those whose key and value are text; the others stay in
    /// the host, and what the method adds stays in the worker.
    /// </summary>
    public IDictionary<object, object?> Items => _items ??= [];

    /// <summary>Whether <see cref="Items"/> has any.</summary>
    public bool HasItems => _items is { Count: > 0 };

    private int IndexOf(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        for (var index = 0; index < Operation.Parameters.Count; index++)
        {
            if (string.Equals(Operation.Parameters[index].Name, name, StringComparison.OrdinalIgnoreCase))
            {
                return index;
            }
        }

        throw new ArgumentException($"{Operation} has no parameter '{name}' that callers supply; it has {string.Join(", ", Operation.Parameters.Select(static one => one.Name))}.", nameof(name));
    }
}
