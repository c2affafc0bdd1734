namespace Weir.Lab.Load;

/// <summary>What uploads are where they were read.</summary>
/// <param name="Cut">How many were cut.</param>
/// <param name="Begun">How many of them an operation had begun to read.</param>
/// <param name="LookComplete">How many of them look complete to the operation.</param>
/// <param name="Whole">How many were not cut.</param>
/// <param name="Missing">How many of these are not complete.</param>
internal sealed record UploadComparison(int Cut, int Begun, int LookComplete, int Whole, int Missing);
