using System.Security.Claims;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Execution.Pools.Calls;

/// <summary>Who makes a call, as a worker gets it: identities and claims.</summary>
internal static class SentCaller
{
    /// <summary>Writes it, on the caller's flow: once for each call, also where that is sent to several workers.</summary>
    /// <returns><c>null</c> where there is no caller, and for an operation of this application that does not take it: then nothing of the transport is touched.</returns>
    /// <exception cref="PayloadTooLargeException">It is larger than a CALL may have it.</exception>
    public static byte[]? Encode(Call call, in CallRequest request) =>
        (call.Operation.UsesCaller || call.Operation.Service.IsForeign) && (request.UserOf is { } read ? read(request.Transport!) : call.Caller) is { } caller ? Encode(call.Operation, caller) : null;

    /// <summary>What a worker would have of it, for an operation of a pool that runs in the host.</summary>
    /// <param name="context">The host's.</param>
    /// <exception cref="PayloadTooLargeException">A worker would not get it.</exception>
    public static ClaimsPrincipal? Copy(OperationContext context) =>
        context.Operation.UsesCaller && context.User is { } caller ? CallerPayload.Read(Encode(context.Operation, caller)) : null;

    private static byte[] Encode(Operation operation, ClaimsPrincipal caller)
    {
        var written = CallerPayload.Write(caller);
        return written.Length <= CallerPayload.MostBytes
            ? written
            : throw new PayloadTooLargeException(
                CallStatus.HandlerFailed,
                $"The claims of the caller of {operation} take {written.Length} bytes, and a worker gets at most {CallerPayload.MostBytes}: "
                + $"remove claims in the host, where the caller is authenticated, or set {nameof(PoolOptions.SendsCaller)} of pool '{operation.Pool}' to false. See {WeirCodes.PayloadTooLarge}.");
    }
}
