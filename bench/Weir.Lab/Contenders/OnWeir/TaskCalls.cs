using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Document 003's tasks as calls, to workers in any language.</summary>
internal sealed record TaskCalls(
    Func<int, ValueTask<string>> NothingOf,
    Func<int, ValueTask<string>> LoadOf,
    Func<byte[], ValueTask<string>> Nothing,
    Func<byte[], ValueTask<string>> Load,
    Func<byte[], ValueTask<string>> Hash)
{
    public static TaskCalls Of(IHelloTasksClient client) => new(
        bytes => client.NothingOf(bytes), bytes => client.LoadOf(bytes), data => client.Nothing(data), data => client.Load(data), data => client.Hash(data));

    public static TaskCalls Of(IForeignTasks client) => new(
        bytes => client.NothingOf(bytes), bytes => client.LoadOf(bytes), data => client.Nothing(data), data => client.Load(data), data => client.Hash(data));

    /// <summary>The task that a request names, each with a buffer of its own; the call keeps nothing else.</summary>
    public (Func<ValueTask<string>> Call, TaskKind Kind) Of(ControlLine request)
    {
        var bytes = request.Int("bytes");
        var kind = Enum.Parse<TaskKind>(request["kind"]);
        return (request["mode"], kind) switch
        {
            (LineProtocol.Value, TaskKind.Nothing) => (() => NothingOf(bytes), kind),
            (LineProtocol.Value, _) => (() => LoadOf(bytes), kind),
            (_, TaskKind.Nothing) => (() => Nothing(new byte[bytes]), kind),
            _ => (() => Load(new byte[bytes]), kind),
        };
    }
}
