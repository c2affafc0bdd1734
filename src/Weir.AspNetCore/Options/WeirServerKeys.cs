using Weir.Runtime;

namespace Weir.AspNetCore.Options;

/// <summary>The keys of the section <c>Weir:Server</c>.</summary>
internal static class WeirServerKeys
{
    public static OptionSection<WeirServerOptions> Section { get; } = new OptionSection<WeirServerOptions>("Server", "the server")
        .Integer("FlushSize", static (server, value) => server.FlushSize = value)
        .Time("FlushDelay", static (server, value) => server.FlushDelay = value)
        .OptionalTime("HeartbeatInterval", static (server, value) => server.HeartbeatInterval = value)
        .OptionalTime("ReaderStallTimeout", static (server, value) => server.ReaderStallTimeout = value)
        .OptionalInteger("StreamUnsentLimit", static (server, value) => server.StreamUnsentLimit = value)
        .Integer("RequestItemLimit", static (server, value) => server.RequestItemLimit = value)
        .OptionalTime("SenderStallTimeout", static (server, value) => server.SenderStallTimeout = value)
        .Integer("ResumeBufferSize", static (server, value) => server.ResumeBufferSize = value)
        .OptionalBytes("ResumeMemoryLimit", static (server, value) => server.ResumeMemoryLimit = value)
        .Time("ResumeWindow", static (server, value) => server.ResumeWindow = value)
        .Switch("RefuseUnknownArguments", static (server, value) => server.RefuseUnknownArguments = value)
        .Switch("IncludeExceptionDetails", static (server, value) => server.IncludeExceptionDetails = value);
}
