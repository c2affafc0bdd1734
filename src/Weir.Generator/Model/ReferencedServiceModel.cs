namespace Weir.Generator.Model;

/// <summary>A service of an assembly that an application references, as the catalog's attribute names it.</summary>
/// <param name="Name">The service's name.</param>
/// <param name="Class">The class, for people.</param>
/// <param name="Contract">The interface that it serves; empty for a class that is its own contract.</param>
internal sealed record ReferencedServiceModel(string Name, string Class, string Contract)
{
    /// <summary>The text of the attribute.</summary>
    public string Text => $"{Name}|{Class}|{Contract}";

    /// <summary>What <see cref="Text"/> says; <c>null</c> for another text.</summary>
    public static ReferencedServiceModel? Parse(string? text)
    {
        var parts = text?.Split('|') ?? [];
        return parts.Length == 3 ? new(parts[0], parts[1], parts[2]) : null;
    }
}
