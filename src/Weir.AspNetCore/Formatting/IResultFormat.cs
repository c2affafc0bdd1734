using Weir.Runtime;

namespace Weir.AspNetCore.Formatting;

/// <summary>A format of one result.</summary>
internal interface IResultFormat : IFormat
{
    /// <summary>How the result is encoded; a worker does so in the first place.</summary>
    ResultEncoding Encoding { get; }

    /// <summary>Writes the call's result.</summary>
    void Write(Call call, PayloadWriter output);
}
