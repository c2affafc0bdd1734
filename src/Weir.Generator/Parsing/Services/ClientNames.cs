using Microsoft.CodeAnalysis.CSharp;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Services;

/// <summary>Names the methods of a generated interface: like the operations, where the name is valid C#.</summary>
internal static class ClientNames
{
    public static IEnumerable<OperationModel> Of(IReadOnlyList<OperationModel> operations)
    {
        var names = new HashSet<string>(operations.Select(static one => one.Name).Where(SyntaxFacts.IsValidIdentifier));
        foreach (var operation in operations)
        {
            var plain = operation.Name.Replace('-', '_');
            yield return SyntaxFacts.IsValidIdentifier(operation.Name)
                ? operation
                : operation with { ClientMethod = SyntaxFacts.IsValidIdentifier(plain) && names.Add(plain) ? plain : operation.Identifier };
        }
    }
}
