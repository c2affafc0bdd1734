using System.Globalization;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Fuzz;

/// <summary>Outcomes of calls as text, as the model predicts them and as callers see them.</summary>
internal static class Outcomes
{
    public const string Lost = "lost";
    public const string End = "end";

    public static string Value(ReadOnlySpan<byte> payload) => $"value {Convert.ToHexString(payload)}";

    public static string Item(ReadOnlySpan<byte> payload) => $"[{Convert.ToHexString(payload)}]";

    public static string Violation(FrameError fault) => $"violation {fault}";

    public static string Of(ErrorPayload error) => error.Kind switch
    {
        ErrorKind.HandlerFailed => $"failed {error.TypeName}: {error.Message}",
        ErrorKind.OperationStatus => string.Create(CultureInfo.InvariantCulture, $"status {error.Status} with {(error.HasContent ? error.Message : "nothing")}"),
        ErrorKind.BadArguments => $"arguments {string.Join(", ", error.BindingErrors)}",
        ErrorKind.Cancelled => "cancelled",
        ErrorKind.DeadlineExceeded => "deadline",
        ErrorKind.OutOfMemory => "memory",
        _ => $"{error.Length} of {error.Limit}",
    };

    /// <summary>The exception that a caller got. An exception that the product never throws to a caller fails the test.</summary>
    public static string Of(Exception thrown) => thrown switch
    {
        RemoteException { Message: var message } when message.Contains("the call was not cancelled", StringComparison.Ordinal) => "cancelled",
        RemoteException remote => $"failed {remote.TypeName}: {remote.Message}",
        OperationStatusException status => string.Create(CultureInfo.InvariantCulture, $"status {status.StatusCode} with {status.Content ?? "nothing"}"),
        BindingException binding => $"arguments {string.Join(", ", binding.Errors)}",
        DeadlineExceededException => "deadline",
        PayloadTooLargeException large => string.Join(" of ", large.Message.Split(' ').Where(static word => ulong.TryParse(word.TrimEnd(';', '.'), out _)).Take(2).Select(static word => word.TrimEnd(';', '.'))),
        ProtocolViolationException violation => Violation(Enum.GetValues<FrameError>().Single(fault => violation.Message.Contains($": {fault}: ", StringComparison.Ordinal))),
        WorkerLostException { Cause: var cause } when cause.StartsWith("out of memory", StringComparison.Ordinal) => "memory",
        WorkerLostException => Lost,
        _ => throw new InvalidOperationException($"A caller was thrown {thrown}", thrown),
    };
}
