using System.Globalization;
using Weir.Generator.Diagnostics;

namespace Weir.Generator.Emission;

/// <summary>
/// Writes an <c>AddWeir</c> whose call is an error into a library, so that the message says where to call it instead of that there is no such
/// method. It is embedded: an application or a test that sees the library's internals does not see it.
/// </summary>
internal static class LibraryEmitter
{
    public static string Write(string assemblyName)
    {
        var descriptor = Descriptors.Of(WeirCodes.AddWeirInLibrary);
        var message = string.Format(CultureInfo.InvariantCulture, descriptor.MessageFormat.ToString(CultureInfo.InvariantCulture), assemblyName);
        var code = SourceWriter.File();
        code.Block("namespace Microsoft.Extensions.DependencyInjection", () =>
        {
            code.Line("/// <summary>Is an error where it is called: a library does not add Weir.</summary>");
            code.Line("[global::Microsoft.CodeAnalysis.Embedded]");
            code.Line("[global::System.ComponentModel.EditorBrowsable(global::System.ComponentModel.EditorBrowsableState.Never)]");
            code.Block("internal static class WeirLibraryServiceCollectionExtensions", () =>
            {
                code.Line("/// <summary>Exists in an application only.</summary>");
                code.Line($"[global::System.Obsolete({JsonCode.Quote(message)}, true, DiagnosticId = {JsonCode.Quote(descriptor.Id)}, UrlFormat = {JsonCode.Quote(descriptor.HelpLinkUri)})]");
                code.Line($"{ApplicationEmitter.Signature} => throw new global::System.NotSupportedException();");
            });
        });
        return code.ToString();
    }
}
