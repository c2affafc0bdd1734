namespace Weir.Server.Requests;

/// <summary>What bounds streamed requests. Immutable; one per door.</summary>
internal sealed class RequestSettings(WeirServerOptions options, TimeProvider time)
{
    internal TimeProvider Time => time;

    /// <summary>Bytes.</summary>
    internal int ItemLimit { get; } = options.RequestItemLimit;

    /// <summary>How long a sender may be silent; <c>null</c> means for ever.</summary>
    internal TimeSpan? SenderStall { get; } = options.SenderStallTimeout;

    internal bool RefuseUnknown { get; } = options.RefuseUnknownArguments;
}
