using System.Text;
using Microsoft.Extensions.Logging.Abstractions;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Definition;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Processes;

/// <summary>Every ERROR that a worker sends completes its call: a call that was answered has no other outcome.</summary>
public sealed class CallExceptionsTests
{
    private static readonly Operation Operation = new()
    {
        Name = "Run",
        Verbs = Verbs.Post,
        ResultKind = ResultKind.Value,
        Signature = 0,
        CreateCall = static _ => throw new NotSupportedException(),
        Throws = [new("Some.Error", static message => message.Length > 0 ? new NotSupportedException(message) : throw new ArgumentException("no message"))],
    };

    private readonly CallExceptions _endings = Endings(new PoolOptions());

    static CallExceptionsTests() => _ = new Service { Name = "Test", TypeName = "Test", CreateInstance = static _ => new object(), Operations = [Operation] };

    [Fact]
    public void A_repeated_header_has_both_values()
    {
        using var bytes = new MemoryStream();
        using var writer = new BinaryWriter(bytes);
        writer.Write((byte)ErrorKind.OperationStatus);
        writer.Write((ushort)409);
        writer.Write((byte)0);
        Text("");
        writer.Write((ushort)3);
        foreach (var text in new[] { "Vary", "a", "vary", "b", "X", "c" })
        {
            Text(text);
        }

        var status = Assert.IsType<OperationStatusException>(_endings.Of(ErrorPayload.Read(bytes.ToArray()), Operation, 1, "test-1-1"));
        Assert.Equal(["Vary: a, b", "X: c"], status.Headers!.Select(static header => $"{header.Key}: {header.Value}"));

        void Text(string text)
        {
            writer.Write(Encoding.UTF8.GetByteCount(text));
            writer.Write(Encoding.UTF8.GetBytes(text));
        }
    }

    [Fact]
    public void A_worker_that_ran_out_of_memory_has_a_report()
    {
        var payload = Protocol.Wire.Payload(frames => ErrorPayload.Write(frames, 1, ErrorKind.OutOfMemory));
        var lost = Assert.IsType<WorkerLostException>(_endings.Of(ErrorPayload.Read(payload), Operation, 1, "test-1-1"));
        Assert.Equal(("test-1-1", "out of memory"), (lost.ReportId, lost.Cause));
    }

    [Theory]
    [InlineData(1000, "raise it to at most 67108864")]
    [InlineData(64 << 20, "at most 67108864 bytes")]
    public void A_result_that_is_too_large_names_a_possible_next_step(int limit, string step)
    {
        var endings = Endings(new PoolOptions { PayloadLimitBytes = limit });
        var result = endings.Of(ErrorPayload.Read(Protocol.Wire.Payload(frames => ErrorPayload.WritePayloadTooLarge(frames, 1, 70_000_000, limit))), Operation, 1, "test-1-1");
        foreach (var error in (Exception[])[endings.ArgumentsTooLarge(Operation, 70_000_000), result])
        {
            Assert.Contains(step, error.Message, StringComparison.Ordinal);
            Assert.Equal(limit < 64 << 20, error.Message.Contains("raise", StringComparison.Ordinal));
            Assert.Contains("IAsyncEnumerable<T>", error.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("well", typeof(NotSupportedException))]
    [InlineData("", typeof(RemoteException))]
    public void A_declared_exception_that_cannot_be_created_is_reported_like_any_other(string message, Type expected)
    {
        var payload = Protocol.Wire.Payload(frames => ErrorPayload.WriteHandlerFailed(frames, 1, "Some.Error", message, "at A.B()"));
        Assert.IsType(expected, _endings.Of(ErrorPayload.Read(payload), Operation, 1, "test-1-1"));
    }

    private static CallExceptions Endings(PoolOptions options) => new(new PoolDefinition
    {
        Name = "test",
        Options = options,
        Program = new WorkerProgram("/none", [], new Dictionary<string, string>()),
        Launcher = new ManualLauncher(),
        Operations = [],
        Loggers = NullLoggerFactory.Instance,
        Time = TimeProvider.System,
    });
}
