using Microsoft.CodeAnalysis;
using Weir.Generator.Diagnostics;

namespace Weir.Generator.Model;

/// <summary>A build error that keeps no symbol and no syntax alive.</summary>
internal sealed record DiagnosticModel(string Code, LocationModel? Location, EquatableArray<string> Arguments)
{
    public Diagnostic ToDiagnostic() =>
        Diagnostic.Create(Descriptors.Of(Code), Location?.ToLocation(), Arguments.ToArray<object>());
}
