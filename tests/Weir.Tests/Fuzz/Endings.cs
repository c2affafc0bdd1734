using System.Globalization;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Fuzz;

/// <summary>Endings of calls in words, as the model foresees them and as callers see them.</summary>
internal static class Endings
{
    public const string Lost = "lost";
    public const string End = "end";

    public static string Value(ReadOnlySpan<byte> payload) => $"value {Convert.ToHexString(payload)}";

    public static string Item(ReadOnlySpan<byte> payload) => $"[{Convert.ToHexString(payload)}]";

    public static string Violation(FrameFault fault) => $"violation {fault}";

    public static string Of(ErrorPayload error) => error.Kind switch
    {
        ErrorKind.HandlerFailed => $"failed {error.TypeName}: {error.Message}",
        ErrorKind.OperationStatus => string.Create(CultureInfo.InvariantCulture, $"status {error.Status} with {(error.HasContent ? error.Message : "nothing")}"),
        ErrorKind.BadArguments => $"arguments {string.Join(", ", error.Faults)}",
        ErrorKind.Cancelled => "cancelled",
        ErrorKind.DeadlineExceeded => "deadline",
        ErrorKind.OutOfMemory => "memory",
        _ => $"{error.Length} of {error.Limit}",
    };

    /// <summary>What a caller was thrown. Anything the product does not throw at a caller is a failure of the test.</summary>
    public static string Of(Exception thrown) => thrown switch
    {
        RemoteException { Message: var message } when message.Contains("nobody cancelled it", StringComparison.Ordinal) => "cancelled",
        RemoteException remote => $"failed {remote.TypeName}: {remote.Message}",
        OperationStatusException status => string.Create(CultureInfo.InvariantCulture, $"status {status.StatusCode} with {status.Content ?? "nothing"}"),
        BindingException binding => $"arguments {string.Join(", ", binding.Faults)}",
        DeadlineExceededException => "deadline",
        PayloadTooLargeException large => string.Join(" of ", large.Message.Split(' ').Where(static word => ulong.TryParse(word.TrimEnd(';', '.'), out _)).Take(2).Select(static word => word.TrimEnd(';', '.'))),
        ProtocolViolationException violation => Violation(Enum.GetValues<FrameFault>().Single(fault => violation.Message.Contains($": {fault}: ", StringComparison.Ordinal))),
        WorkerLostException { Cause: var cause } when cause.StartsWith("out of memory", StringComparison.Ordinal) => "memory",
        WorkerLostException => Lost,
        _ => throw new InvalidOperationException($"A caller was thrown {thrown}", thrown),
    };
}
