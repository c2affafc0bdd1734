namespace Weir.Generator.Model;

/// <summary>A class that implements a contract and is not marked.</summary>
/// <param name="Class">The class, for people.</param>
/// <param name="Contract">The contract, as services name it.</param>
internal sealed record UnmarkedClassModel(string Class, string Contract);
