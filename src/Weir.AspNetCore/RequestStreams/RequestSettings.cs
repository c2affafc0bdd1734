using Weir.Runtime;

namespace Weir.AspNetCore.RequestStreams;

/// <summary>The limits of streamed requests. Immutable; one per entry point.</summary>
internal sealed class RequestSettings(WeirServerOptions options, TimeProvider time)
{
    /// <summary>How long an isolated operation waits for its first item before it is sent to a worker without it.</summary>
    internal static TimeSpan FirstItemWait { get; } = TimeSpan.FromSeconds(1);

    internal TimeProvider Time => time;

    /// <summary>Bytes.</summary>
    internal int ItemLimit { get; } = options.RequestItemLimit;

    /// <summary>How long a sender may take for an item, unless enough bytes of it arrive in that time; <c>null</c> means no limit.</summary>
    internal TimeSpan? SenderStall { get; } = options.SenderStallTimeout;

    /// <summary>How many bytes within <see cref="SenderStall"/> are enough: 240 in a second, as Kestrel requires of every other body.</summary>
    internal long LeastBytes { get; } = (long)Math.Ceiling(240 * (options.SenderStallTimeout ?? default).TotalSeconds);

    /// <summary>For items that generated code cannot read.</summary>
    internal JsonValueSerializer? Serializer { get; init; }

    internal bool RefuseUnknown { get; } = options.RefuseUnknownArguments;
}
