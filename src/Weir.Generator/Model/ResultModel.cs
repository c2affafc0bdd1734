namespace Weir.Generator.Model;

/// <summary>What a method returns, as C# sees it.</summary>
internal enum MethodShape
{
    /// <summary>Nothing or a value, returned synchronously.</summary>
    Synchronous,

    /// <summary><c>Task</c> or <c>Task&lt;T&gt;</c>.</summary>
    Task,

    /// <summary><c>ValueTask</c> or <c>ValueTask&lt;T&gt;</c>.</summary>
    ValueTask,

    /// <summary><c>IAsyncEnumerable&lt;T&gt;</c>.</summary>
    AsyncStream,

    /// <summary><c>ChannelReader&lt;T&gt;</c>.</summary>
    Channel,

    /// <summary><c>IEnumerable&lt;T&gt;</c>.</summary>
    BlockingStream,
}

/// <summary>What an operation returns.</summary>
/// <param name="Shape">How the method returns it.</param>
/// <param name="Kind">The name of a value of <c>Weir.ResultKind</c>.</param>
/// <param name="Value">The value, or the item of a stream; <c>null</c> for nothing.</param>
/// <param name="Flush">The name of a value of <c>Weir.FlushPolicy</c>.</param>
internal sealed record ResultModel(MethodShape Shape, string Kind, ValueModel? Value, string Flush)
{
    /// <summary>Whether it adds metadata to its endpoint.</summary>
    public bool DescribesEndpoint { get; init; }

    /// <summary>The media type of bytes; <c>null</c> where none is declared.</summary>
    public string? MediaType { get; init; }

    /// <summary>Whether it writes the response itself.</summary>
    public bool IsHttp => Kind == "Http";

    public bool IsStream => Kind == "Stream";

    /// <summary>Whether it is a stream of bytes, which have a form without JSON.</summary>
    public bool IsByteStream => IsStream && Value is { IsBytes: true, IsNullable: false };

    public bool IsSynchronous => Shape is MethodShape.Synchronous or MethodShape.BlockingStream;
}
