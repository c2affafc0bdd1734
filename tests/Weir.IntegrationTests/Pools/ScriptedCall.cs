using System.Text;
using Weir.Runtime;

namespace Weir.IntegrationTests.Pools;

/// <summary>A call of Test/Do: its one argument says what the scripted worker does.</summary>
internal sealed class ScriptedCall(ReadOnlyMemory<byte> script) : Call<string>(ScriptedService.Do)
{
    public override void Bind(ArgumentReader reader) => throw new NotSupportedException();

    public override void WriteArguments(ArgumentWriter writer) => writer.AddRaw(0, script);

    public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken) => throw new NotSupportedException();

    protected override void Encode(PayloadWriter output, string value, ResultEncoding encoding) => throw new NotSupportedException();

    protected override string Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) => Encoding.UTF8.GetString(payload);
}

/// <summary>A call of Test/Stream.</summary>
internal sealed class ScriptedStream(string script) : StreamCall<string>(ScriptedService.Stream)
{
    public override void Bind(ArgumentReader reader) => throw new NotSupportedException();

    public override void WriteArguments(ArgumentWriter writer) => writer.AddRaw(0, Encoding.UTF8.GetBytes(script));

    public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken) => throw new NotSupportedException();

    public override void WriteItem(PayloadWriter output, string item) => throw new NotSupportedException();

    public override string ReadItem(ReadOnlySpan<byte> item) => Encoding.UTF8.GetString(item).Trim('"');
}

internal static class ScriptedService
{
    public static Operation Do { get; } = new()
    {
        Name = "Do",
        Verbs = Verbs.Post,
        Placement = Placement.Isolated,
        Pool = "test",
        ResultKind = ResultKind.Text,
        Signature = 5,
        Job = new OperationJob(),
        CreateCall = static _ => new ScriptedCall(default),
    };

    public static Operation Stream { get; } = new()
    {
        Name = "Stream",
        Verbs = Verbs.Post,
        Placement = Placement.Isolated,
        Pool = "test",
        ResultKind = ResultKind.Stream,
        Signature = 7,
        CreateCall = static _ => new ScriptedStream(""),
    };

    /// <summary>An operation whose result is content: the scripted worker serves it, and knows no content.</summary>
    public static Operation Thing { get; } = new()
    {
        Name = "Thing",
        Verbs = Verbs.Post,
        Placement = Placement.Isolated,
        Pool = "test",
        ResultKind = ResultKind.Raw,
        Signature = 1,
        CreateCall = static _ => throw new NotSupportedException(),
    };

    public static Service Other { get; } = new()
    {
        Name = "Other",
        TypeName = "Other",
        CreateInstance = static _ => new object(),
        Operations = [Thing],
    };

    public static Service Service { get; } = new()
    {
        Name = "Test",
        TypeName = "Test",
        CreateInstance = static _ => new object(),
        Operations = [Do, Stream],
    };
}
