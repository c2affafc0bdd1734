using Weir.Runtime;

namespace Weir.AspNetCore.Formatting;

/// <summary>A format of one result.</summary>
internal interface IResultFormat : IFormat
{
    /// <summary>How the result is encoded; a worker encodes it like this from the start.</summary>
    ResultEncoding Encoding { get; }

    /// <summary>Writes the call's result.</summary>
    void Write(Call call, PayloadWriter output);
}
